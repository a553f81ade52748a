"""Fixtures of the API's tests."""

from tests.fixtures.alerts import warehouse_watcher, watcher
from tests.fixtures.broadcasts import broadcasts
from tests.fixtures.challenges import contest
from tests.fixtures.claims import claim_chain, claim_service, registry_node
from tests.fixtures.clocks import clock
from tests.fixtures.community import community, start_community
from tests.fixtures.deals import market
from tests.fixtures.derivation import ledger
from tests.fixtures.messages import mail_server, vendor_server
from tests.fixtures.owners import owner, serve_owner
from tests.fixtures.pages import owners
from tests.fixtures.sales import sale
from tests.fixtures.service import chains_file, indexed, serve, service
from tests.fixtures.sign_in import sign_in
from tests.fixtures.solana_claims import solana_claims, solana_service
from tests.fixtures.solana_reads import solana_reads
