"""What holds a parser child: resource limits, Landlock, seccomp. Applied by the child itself, before it reads a byte of
the document. Standard library only, and nothing else of Matrix, so that the child starts lean."""
