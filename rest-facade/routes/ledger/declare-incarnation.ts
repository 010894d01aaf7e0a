import { graphRoute } from '../../graph-route.js';

export const declareIncarnation = graphRoute({
  method: 'POST',
  path: '/v1/ledger/incarnations',
  area: 'ledger',
  scope: 'admin',
  tenant: 'required',
  summary: "Begin another life of the ledger's tree",
  description:
    'After a regress (exception CHECKPOINT_REGRESS: the database was set back, or was changed) no checkpoint is published ' +
    'until an operator declares here that the next ones need not extend what was published. It is kept for good and told ' +
    'in the origin of every later checkpoint.',
  operation: { name: 'DeclareIncarnation', field: 'declareIncarnation' },
  body: 'arguments',
  bodyExample: { reason: 'Restored from the backup of 2 March.' },
  answer: 'The incarnation.',
});
