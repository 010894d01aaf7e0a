import type { RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import { type TransitionRow, transition } from '../../../shared/state-machine/state-machine.js';
import { CONNECTOR_MACHINE, type ConnectorAction, type ConnectorState } from '../domain/connector-states.js';
import type { ConnectorConfigDeps } from './connector-config.js';
import type { ConnectorRow, ConnectorRuns, ConnectorStore, ConnectorWrite } from './ports/connector-store.js';

export interface ConnectorDeps extends WorkDeps {
  readonly clock: Clock;
  readonly connectors: ConnectorStore;
  readonly runs: ConnectorRuns;
  readonly settings: ConnectorConfigDeps;
  /** Something is to be run, or to be run no more: whoever runs connectors in this process looks at once. */
  readonly wake: () => void;
}

/** Who takes a step: a request, or the service that runs the connector. */
export interface ConnectorActor {
  readonly by: string;
  readonly work_id: string | null;
  readonly ids: Ids;
}

export const requestActor = (deps: ConnectorDeps, context: RequestContext, purpose: string): ConnectorActor => ({
  by: context.principal.keyId,
  work_id: context.workId,
  ids: forWork(deps, context, purpose).ids,
});

export const runnerActor = ({ ids }: { readonly ids: Ids }): ConnectorActor => ({
  by: 'service:connectors',
  work_id: null,
  ids,
});

export type ConnectorChanges = Partial<Pick<ConnectorRow, 'name' | 'source_system' | 'config' | 'wrapped_secrets'>>;

/** The write of one step from where a connector stands. @throws INVALID_TRANSITION */
export function connectorWrite(
  { clock }: { readonly clock: Clock },
  actor: ConnectorActor,
  standing: ConnectorRow,
  action: ConnectorAction,
  changes: ConnectorChanges = {},
): ConnectorWrite {
  const step = transition(CONNECTOR_MACHINE, standing.status, action);
  const { history: _, ...before } = standing;
  const connector = {
    ...before,
    ...changes,
    status: step.to,
    revision: standing.revision + 1,
    updated_at: new Date(clock.nowMs()),
  };
  return writeOf(actor, connector, step);
}

/** The write that makes a connector. */
export const connectorBirth = (actor: ConnectorActor, connector: ConnectorWrite['connector']): ConnectorWrite =>
  writeOf(actor, connector, transition(CONNECTOR_MACHINE, null, 'create'));

/** What stands in the ledger of it names no address, no folder and no secret. */
function writeOf(
  actor: ConnectorActor,
  connector: ConnectorWrite['connector'],
  { from, to, action, emits }: TransitionRow<ConnectorState, ConnectorAction>,
): ConnectorWrite {
  const { connector_id, kind, source_system, revision, updated_at: at } = connector;
  const pending = emits.map((eventType) =>
    ledgerEntryEffect(actor.ids, {
      tenant_id: connector.tenant_id,
      source_system: '_records',
      entry: {
        event_family: 'connector',
        event_type: eventType,
        event_effective_timestamp: isoTime(at.getTime()),
        outcome: to,
        payload: { connector_id, kind, source_system, action, from, to, revision, by: actor.by },
      },
    }),
  );
  return { connector, step: { revision, action, from, to, at, by: actor.by, work_id: actor.work_id }, pending };
}
