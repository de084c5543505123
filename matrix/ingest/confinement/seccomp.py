"""seccomp: the child can open no socket, start no process, signal nobody, raise no limit (Linux, x86-64 and AArch64).

A filter in classic BPF, assembled here. What is denied answers EPERM, which Python raises as PermissionError; a system
call of a foreign architecture kills. New threads stay allowed: libraries use them.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _EPERM, _ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
_ARGUMENT_0, _ARGUMENT_2, _ARGUMENT_2_HIGH = 16, 32, 36
_CLONE_THREAD = 0x00010000
_X32 = 0x40000000
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _PR_GET_SECCOMP, _MODE_FILTER = 38, 22, 21, 2

# name: (x86-64, AArch64); None where the architecture has no such call
_DENIED = {
    "socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
    "accept": (43, 202), "accept4": (288, 242), "sendto": (44, 206), "sendmsg": (46, 211), "sendmmsg": (307, 269),
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281),
    "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "setrlimit": (160, 164), "setsid": (112, 157), "setpgid": (109, 154), "unshare": (272, 97), "setns": (308, 268),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "fsopen": (430, 430),
    "move_mount": (429, 429), "open_tree": (428, 428), "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264),
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "chown": (92, None), "fchown": (93, 55),
    "lchown": (94, None), "fchownat": (260, 54), "utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6),
    "removexattr": (197, 14), "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "memfd_create": (319, 279),
    "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180), "inotify_init1": (294, 26),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "quotactl": (179, 60),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171), "personality": (135, 92),
    "setuid": (105, 146), "setgid": (106, 144), "setresuid": (117, 147), "setresgid": (119, 149), "capset": (126, 91),
}  # fmt: skip
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_CLONE, _CLONE3, _PRLIMIT = (56, 220), (435, 435), (302, 261)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def seccomp_available() -> bool:
    """Whether the running kernel takes a filter for this architecture."""
    known = sys.platform == "linux" and platform.machine() in _ARCHITECTURES
    return known and ctypes.CDLL(None, use_errno=True).prctl(_PR_GET_SECCOMP, 0, 0, 0, 0) >= 0


def restrict_calls() -> bool:
    """Denies this process the calls above, for good. False where the kernel or the architecture has no filter."""
    if not seccomp_available():
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    code = _filter(*_ARCHITECTURES[platform.machine()])
    program = _Program(len(code) // 8, code)
    refused = libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        _PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0
    )
    if refused:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return True


def _filter(column: int, architecture: int) -> bytes:
    denied = [numbers[column] for numbers in _DENIED.values()]
    code = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_JUMP_EQUAL, architecture, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
        _step(_JUMP_AT_LEAST, _X32, 0, 1),
        _step(_RETURN, _EPERM),
    ]
    for number in denied:
        if number is not None:
            code += [_step(_JUMP_EQUAL, number, 0, 1), _step(_RETURN, _EPERM)]
    # The C library falls back from clone3, whose flags a filter cannot see, to clone.
    code += [_step(_JUMP_EQUAL, _CLONE3[column], 0, 1), _step(_RETURN, _ENOSYS)]
    code += _threads_only(_CLONE[column]) + _limits_read_only(_PRLIMIT[column])
    return b"".join([*code, _step(_RETURN, _ALLOW)])


def _threads_only(clone: int) -> list[bytes]:
    return [
        _step(_JUMP_EQUAL, clone, 0, 4),
        _step(_LOAD, _ARGUMENT_0),
        _step(_JUMP_BITS, _CLONE_THREAD, 1, 0),
        _step(_RETURN, _EPERM),
        _step(_RETURN, _ALLOW),
    ]


def _limits_read_only(prlimit: int) -> list[bytes]:
    """prlimit with a new limit, that is with a pointer as its third argument, is denied."""
    return [
        _step(_JUMP_EQUAL, prlimit, 0, 6),
        _step(_LOAD, _ARGUMENT_2),
        _step(_JUMP_EQUAL, 0, 0, 2),
        _step(_LOAD, _ARGUMENT_2_HIGH),
        _step(_JUMP_EQUAL, 0, 1, 0),
        _step(_RETURN, _EPERM),
        _step(_RETURN, _ALLOW),
    ]


def _step(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, operand)
