"""The one place where objects meet: ports get their implementations, services their ports."""
