import { graphRoute } from '../../graph-route.js';
import { withPlainText } from './plain-text.js';

/** As a witness takes them: a hash in base64 a line. */
const linesOf = (hashes: unknown): string =>
  (Array.isArray(hashes) ? hashes : [])
    .map((hash) => `${Buffer.from(String(hash), 'hex').toString('base64')}\n`)
    .join('');

export const getConsistency = withPlainText(
  graphRoute({
    method: 'GET',
    path: '/v1/ledger/consistency',
    area: 'ledger',
    scope: 'events:read',
    tenant: 'required',
    summary: 'Prove that the ledger has only grown',
    description:
      'Shows that the tree of the second size begins with the tree of the first (RFC 6962). Take sizes and roots from ' +
      'checkpoints that you have verified, never from this answer. Sizes of earlier incarnations cannot be proven. ' +
      'Before the first checkpoint it is a 409 CONFLICT with Retry-After: one follows within seconds.',
    operation: { name: 'GetConsistency', field: 'ledgerConsistency' },
    conflicts: true,
    answer: 'The proof, and what was published at both sizes.',
  }),
  { description: 'The hashes of the proof, in base64, one a line.', of: ({ hashes }) => linesOf(hashes) },
);
