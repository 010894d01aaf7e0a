import type { LinkedDeps } from '../../shared/contracts/deps.js';

const NAMES = [
  'ledgerRecords',
  'ledgerEvents',
  'eventReads',
  'linkedEvents',
  'tiedRecords',
  'documents',
  'holds',
  'ledgerDisposal',
  'sealedArchives',
  'bundleOrders',
  'erasures',
  'openRequests',
  'custodyReads',
  'ruleArtifacts',
  'codeJudge',
  'personSessions',
  'grantors',
  'actorDirectory',
  'sharedBundles',
  'sharedNotices',
  'memberDirectory',
  'consent',
  'eventRedactor',
  'facts',
  'stateMaps',
  'redactions',
] as const;

const notThere = async (): Promise<never> => {
  throw new Error('this part of the service stands alone: nobody answers for the others');
};

/** No subgraph serves rows of records. */
const NO_STATES = { recordStates: { page: async () => null } };

/** Ports between ledger and vault, for a part that is tested alone and does not use them. */
export const NO_VAULT = {
  ...NO_STATES,
  ...Object.fromEntries(NAMES.map((name) => [name, new Proxy({}, { get: () => notThere })])),
} as unknown as Pick<LinkedDeps, (typeof NAMES)[number] | 'recordStates'>;
