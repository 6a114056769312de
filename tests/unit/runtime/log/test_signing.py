"""Ed25519 keys and signatures."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from codemode.runtime.log import KeySigner, LogError
from codemode.runtime.log.signing import is_genuine, read_public_key


def test_a_signature_is_genuine_for_its_key_and_text_only() -> None:
    signer = KeySigner.from_bytes(bytes(32))
    signature = signer.sign(b"text")
    assert is_genuine(signer.public_key, signature, b"text")
    assert not is_genuine(signer.public_key, signature, b"texT")
    assert not is_genuine(KeySigner.from_bytes(b"\1" * 32).public_key, signature, b"text")
    assert not is_genuine(b"short", signature, b"text")


def test_a_public_key_is_read_in_every_usual_form(tmp_path: Path) -> None:
    raw = KeySigner.from_bytes(bytes(32)).public_key
    pem = Ed25519PublicKey.from_public_bytes(raw).public_bytes(
        Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
    )
    assert read_public_key(raw.hex()) == raw
    for name, content in (("raw", raw), ("hex", raw.hex().encode() + b"\n"), ("pem", pem)):
        path = tmp_path / name
        path.write_bytes(content)
        assert read_public_key(str(path)) == raw


def test_what_is_no_public_key_says_what_one_is() -> None:
    with pytest.raises(LogError, match="64 hexadecimal digits"):
        read_public_key("nonsense")


@pytest.mark.parametrize("label", ["PUBLIC KEY", "PRIVATE KEY", "CERTIFICATE"])
def test_a_pem_that_is_no_public_key_is_refused_and_not_repeated(
    tmp_path: Path, label: str
) -> None:
    body = base64.b64encode(b"a secret that must not be shown").decode()
    pem = f"-----BEGIN {label}-----\n{body}\n-----END {label}-----\n"
    path = tmp_path / "key.pem"
    path.write_text(pem, encoding="utf-8")
    for given in (str(path), pem):
        with pytest.raises(LogError) as refused:
            read_public_key(given)
        assert body not in str(refused.value)


def test_a_private_key_is_named_as_one(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(
        Ed25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
    )
    with pytest.raises(LogError, match="a private key, which is a secret"):
        read_public_key(str(path))


def test_a_mistyped_file_name_of_32_letters_is_no_raw_key() -> None:
    with pytest.raises(LogError, match="64 hexadecimal digits"):
        read_public_key("k" * 32)


def test_a_key_object_of_the_hosts_signs_too() -> None:
    signer = KeySigner(Ed25519PrivateKey.generate())
    assert is_genuine(signer.public_key, signer.sign(b"x"), b"x")
