import Sequencer from '@jest/test-sequencer';

/** Suites that take a quarter of a minute and more: begun last, one of them would have a core wait for the other. */
const LONGEST = [
  'test/signer/service.test.ts',
  'test/commands/audit.test.ts',
  'test/commands/facts-adopt.test.ts',
  'test/rest-facade/lists.test.ts',
  'test/members-graph/members/proven.test.ts',
  'test/vault/documents/proven.test.ts',
  'test/ledger/repair/repair.test.ts',
  'test/ledger/state-map/state-map.test.ts',
  'test/ledger/integrity/verify-records.test.ts',
  'test/bundles/bundles/bundles.test.ts',
  'test/distributed/processes.test.ts',
  'test/ledger/connectors/takeover.test.ts',
  'test/ledger/connectors/killed.test.ts',
  'test/shared/worm/files-whole.test.ts',
  'test/testing-kit/kit.test.ts',
  'test/testing-kit/package.test.ts',
  'test/client/python.test.ts',
  'test/bundles/build/killed.test.ts',
  'test/vault/search/document-search.test.ts',
  'test/ledger/append/faults.test.ts',
  'test/resilience/backup.test.ts',
  'test/rest-facade/log-redaction.test.ts',
  'test/vault/scan/quarantine.test.ts',
  'test/verifier/corpus.test.ts',
  'test/rest-facade/killed-with-keys.test.ts',
  'test/vault/retention/killed.test.ts',
  'test/isolation/isolation.test.ts',
  'test/resilience/large-body.test.ts',
  'test/resilience/crash.test.ts',
  'test/vault/redactions/killed.test.ts',
  'test/admin/webhooks/delivery-attempts.test.ts',
  'test/contract/contract.test.ts',
  'test/shared/jobs/fairness.test.ts',
  'test/shared/jobs/work-queue.test.ts',
];
const rankOf = ({ path }) => {
  const rank = LONGEST.findIndex((suite) => path.replaceAll('\\', '/').endsWith(`/${suite}`));
  return rank < 0 ? LONGEST.length : rank;
};

// biome-ignore lint/style/noDefaultExport: jest calls what the file exports so.
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
