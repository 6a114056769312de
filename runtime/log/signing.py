"""Ed25519 for checkpoints: the key stays with the host, the log holds signatures.

Needs the extra `audit` (the cryptography package), which is loaded only when it is used.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from codemode.runtime.log.errors import LogError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


_HEXADECIMAL: Final = re.compile(r"[0-9a-fA-F]{64}")


class Signer(Protocol):
    """Whoever holds the key: this class, a key service, a hardware module."""

    @property
    def public_key(self) -> bytes:
        """The raw public key, 32 bytes."""
        ...

    def sign(self, text: bytes) -> bytes:
        """An Ed25519 signature of `text`, 64 bytes."""
        ...


class KeySigner:
    """A signer with the key in memory."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key

    @classmethod
    def from_bytes(cls, seed: bytes) -> KeySigner:
        """From the raw private key, 32 bytes."""
        _require_cryptography()
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(Ed25519PrivateKey.from_private_bytes(seed))

    @property
    def public_key(self) -> bytes:
        """The raw public key, 32 bytes."""
        return self._key.public_key().public_bytes_raw()

    def sign(self, text: bytes) -> bytes:
        """An Ed25519 signature of `text`."""
        return self._key.sign(text)


def is_genuine(public_key: bytes, signature: bytes, text: bytes) -> bool:
    """Whether `signature` is that of `text` under `public_key`, both raw."""
    _require_cryptography()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, text)
    except (InvalidSignature, ValueError):
        return False
    return True


def read_public_key(text_or_path: str) -> bytes:
    """A raw public key from 64 hexadecimal digits, or from a file of them, raw bytes or PEM.

    Raises:
        LogError: It is none of these.
    """
    text = text_or_path.strip()
    is_file = bool(text) and not _HEXADECIMAL.fullmatch(text) and Path(text).is_file()
    try:
        data = Path(text).read_bytes() if is_file else text.encode()
    except OSError as error:
        raise LogError(f"{text}: {error.strerror or error}") from error
    # A text that is no path may be a key of any kind, which an error must not repeat.
    name = text if is_file else "the public key"
    if data.lstrip().startswith(b"-----BEGIN"):
        _require_cryptography()
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key

        if b"PRIVATE KEY-----" in data:
            raise LogError(f"{name}: a private key, which is a secret; the public one is needed")
        try:
            key = load_pem_public_key(data)
        except (ValueError, UnsupportedAlgorithm) as error:
            raise LogError(f"{name}: not a public key in PEM") from error
        if isinstance(key, Ed25519PublicKey):
            return key.public_bytes_raw()
        raise LogError(f"{name}: not an Ed25519 public key")
    if is_file and len(data) == 32:
        return data
    try:
        raw = bytes.fromhex(data.decode().strip())
    except ValueError:
        raw = b""
    if len(raw) != 32:
        raise LogError(f"{text[:80]}: a public key is 64 hexadecimal digits, 32 bytes or PEM")
    return raw


def _require_cryptography() -> None:
    if find_spec("cryptography") is None:
        raise LogError("signatures need the extra: pip install 'codemode[audit]'")
