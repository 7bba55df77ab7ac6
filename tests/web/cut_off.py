"""Run browser tests where there is no network but this machine's own address; see test_cut_off.py.

Everything that this process, with the page in it, connects to or looks up is noted: the page must not even try.
"""

from __future__ import annotations

import errno
import fcntl
import ipaddress
import socket
import struct
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_SET_FLAGS, _UP_AND_RUNNING = 0x8914, 0x41  # SIOCSIFFLAGS; IFF_UP | IFF_RUNNING
_OUTSIDE = ("192.0.2.1", 80)  # an address that is nobody's, by RFC 5737


def raise_loopback() -> None:
    """Switch the loopback device of this network on."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        fcntl.ioctl(own, _SET_FLAGS, struct.pack("16sH14s", b"lo", _UP_AND_RUNNING, b""))


def is_cut_off() -> bool:
    """Tell whether there is nothing but loopback, and nothing else can be reached."""
    if [name for _, name in socket.if_nameindex()] != ["lo"]:
        return False
    with socket.socket() as own:
        return own.connect_ex(_OUTSIDE) == errno.ENETUNREACH


def outside(event: str, arguments: tuple[object, ...]) -> bool:
    """Tell whether an event of the interpreter is an attempt to reach another machine."""
    if event == "socket.getaddrinfo":
        return arguments[0] not in (None, "localhost", "127.0.0.1", b"127.0.0.1")
    if event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple):
        return not ipaddress.ip_address(str(arguments[1][0])).is_loopback
    return event in ("socket.gethostbyname", "socket.gethostbyaddr")


def main() -> int:
    """Run the tests named on the command line; 0 if they pass and nobody tried to leave."""
    raise_loopback()
    if not is_cut_off():
        sys.stdout.write("this network is not cut\n")
        return 3
    tried: list[str] = []
    sys.addaudithook(lambda event, arguments: tried.append(event) if outside(event, arguments) else None)
    code = int(pytest.main(["-rp", "-p", "no:xdist", "-p", "no:cacheprovider", "--rootdir", str(ROOT), *sys.argv[1:]]))
    sys.stdout.write(f"attempts to leave: {len(tried)}\n")
    return code or (4 if tried else 0)


if __name__ == "__main__":
    sys.exit(main())
