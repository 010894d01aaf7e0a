import type { LinkedDeps } from '../../../shared/contracts/deps.js';
import { Outbox } from '../../../shared/outbox/outbox.js';
import { type Performers, performersOver } from '../../../shared/outbox/performers.js';
import { documentModel } from '../model/document-model.js';
import { documentStore } from '../model/document-repository.js';
import type { VaultEffect } from '../service/ports/vault-effects.js';
import { redactionPerformers } from './redactions.js';
import { textPerformer } from './texts.js';

/** What follows from writes of this subgraph. @param collections whose documents carry pending effects. */
export function vaultOutbox(deps: LinkedDeps, collections: readonly string[]): Outbox<VaultEffect> {
  const { exceptions } = deps;
  const performers: Performers<VaultEffect> = {
    ...performersOver(deps),
    'open-exception': ({ tenant_id, exception }) => exceptions.open(tenant_id, exception),
    'resolve-exception': ({ tenant_id, exception_kind, subject, note }) =>
      exceptions.resolve(tenant_id, exception_kind, subject, note),
    'expect-text': textPerformer(deps.database),
    ...redactionPerformers(deps, () => documentStore(documentModel(deps.database.connection), outbox)),
  };
  const outbox: Outbox<VaultEffect> = new Outbox<VaultEffect>({ ...deps, performers }, collections);
  return outbox;
}
