"""The host: records the session that the reviewer gets.

    python -m examples.audit_walk.record FOLDER

Writes session.jsonl, its journal, and host.pem, the public half of a key that lives only as long as
this program. Programs, answers and outcomes are the same each time; ids, times, chance, the key,
and so every hash, are not. The checked-in recording is one run of this.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import anyio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from codemode import Limits, ToolRuntime
from codemode.runtime.approval import ApprovalOutcome, ApprovalRequest
from codemode.runtime.execution import Execution
from codemode.runtime.log import COMMON_SECRETS, KeySigner, Redactor
from codemode.runtime.loop import AssistantMessage, Message, ScriptedModel, call
from codemode.runtime.policy import Allow, Ask, Deny, PreDecision
from codemode.sdkgen import ToolSpec
from examples.audit_walk.tools import Post, account_of, due, notify, pay, remind, sign_in

PAY: Final = """
import asyncio
import uuid

invoices = await tools.ledger.due()
accounts = await asyncio.gather(
    *(tools.ledger.account_of(vendor=invoice["vendor"]) for invoice in invoices),
    return_exceptions=True,
)
for invoice, account in zip(invoices, accounts):
    if isinstance(account, ToolCallError):
        print(invoice["number"], "skipped:", account.message)
        continue
    try:
        reference = invoice["number"] + "/" + uuid.uuid4().hex[:6]
        print(await tools.bank.pay(
            vendor=invoice["vendor"], account=account, cents=invoice["cents"], reference=reference
        ))
    except ToolCallError as error:
        print(invoice["number"], error.code + ":", error.message)
{"due": len(invoices)}
"""

#: Does not run: its text leads into the interpreter, which the language refuses beforehand.
KEYRING: Final = """
environ = open.__globals__["os"].environ
print(await tools.portal.sign_in(user="ada", password=environ["PORTAL_PASSWORD"]))
"""

REMIND: Final = """
import asyncio

print(await tools.portal.sign_in(user="ada", password="quince-and-pear"))
try:
    await tools.mail.notify(too="dune")
except ToolCallError as error:
    print(error.code)
asyncio.create_task(tools.mail.notify(to="dune", text="You are blocked."))
asyncio.create_task(tools.mail.remind(to="gone", text="Who are you?"))
await asyncio.sleep(0.01)
"sent"
"""


def spending(execution: Execution) -> PreDecision | None:
    """The house rules on payments."""
    if execution.name != "pay":
        return None
    match execution.arguments:
        case {"vendor": "dune"}:
            return Deny("dune is blocked until its dispute is settled", rule="blocked vendors")
        case {"cents": int(cents)} if cents > 100_000:
            return Ask("more than 1,000 euros", rule="two pairs of eyes")
        case _:
            return Allow(rule="small payments")


class Desk:
    """Stands for a person at a terminal, who looks at what is asked and says yes."""

    async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        """Say yes to what is on the list."""
        is_known = request.arguments["account"] == "BO-42"
        return ApprovalOutcome(answer="allowed" if is_known else "rejected", by="desk:ada")


async def record(folder: Path) -> None:
    """Record the session into an empty folder."""
    signer = KeySigner.from_bytes(secrets.token_bytes(32))
    public = Ed25519PublicKey.from_public_bytes(signer.public_key)
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (folder / "host.pem").write_bytes(pem)
    post = Post()
    model = ScriptedModel(
        [
            AssistantMessage.of("", call("run_code", code=PAY, description="pay what is due")),
            AssistantMessage.of("Two invoices are paid, two are not."),
            AssistantMessage.of("", call("run_code", code=KEYRING, description="sign in")),
            AssistantMessage.of("", call("run_code", code=REMIND, description="write letters")),
            partial(_after_the_letter, post),
        ]
    )
    async with (
        ToolRuntime(
            [due, account_of, pay, sign_in, notify, remind(post)],
            mode="code",
            log=folder / "session.jsonl",
            journal="full",
            policies=[spending],
            approval=Desk(),
            redact=Redactor(COMMON_SECRETS, key=secrets.token_bytes(32)),
            signer=signer,
            limits=Limits(drain_s=0.2),
        ) as runtime,
        runtime.agent(model, meta={"host": "accounts desk"}) as agent,
    ):
        await agent.run("Pay the invoices that are due.")
        await agent.run("Sign in at the portal and write to those who were not paid.")
    for leftover in ("session.jsonl.lock", "session.jsonl.spill", "session.jsonl.attachments"):
        path = folder / leftover
        if path.is_file():
            path.unlink()


async def _after_the_letter(
    post: Post, messages: Sequence[Message], tools: Sequence[ToolSpec]
) -> AssistantMessage:
    """The model's last words come when the letter that nobody waited for has left after all."""
    post.may_leave.set()
    await post.has_left.wait()
    return AssistantMessage.of("The letters are on their way, as far as I know.")


def main() -> None:
    """Record into the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.glob("session.jsonl*")):
        sys.exit(f"{folder} has a recording already: a log is appended to, never overwritten")
    anyio.run(record, folder)
    print(f"recorded in {folder}")


if __name__ == "__main__":
    main()
