import { isoTime } from '../../../shared/clock/clock.js';
import type { CustodySubject } from '../../../shared/contracts/custody.js';
import { custodyEffect } from '../../../shared/custody/custody-entry.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { ledgerEntryEffect, platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { HOLD_MACHINE, type HoldAction } from '../domain/hold-states.js';
import type { Acting } from './change-document.js';
import type { HoldWrite, StoredHold } from './ports/hold-store.js';
import type { VaultEffect } from './ports/vault-effects.js';

type Hold = HoldWrite['hold'];

const CUSTODY = { create: 'HOLD', update: 'HOLD', release: 'UNHOLD' } as const;
const TOLD = { create: 'legal-hold.created', release: 'legal-hold.released' } as const;

/** A step of a hold and what follows from it, as one write: entry, custody, and what receivers of webhooks are told. */
export function holdWrite(
  ids: Pick<Ids, 'next'>,
  standing: StoredHold | null,
  hold: Hold,
  action: HoldAction,
  acting: Acting,
): HoldWrite {
  const at = hold.updated_at;
  const step = transition(HOLD_MACHINE, standing?.status ?? null, action);
  const { by, actor_id, work_id } = acting;
  return {
    hold,
    change: { revision: hold.revision, action, from: step.from, to: step.to, at, by, actor_id, work_id },
    pending: [...entries(ids, hold, step, acting), ...custody(ids, hold, action, acting), ...told(ids, hold, action)],
  };
}

/** Names and reasons are a person's own words, and may name anybody: they stay in the record. */
function entries(
  ids: Pick<Ids, 'next'>,
  hold: Hold,
  { emits, action, from, to }: ReturnType<typeof transition<'ACTIVE' | 'RELEASED', HoldAction>>,
  { by, actor_id }: Acting,
): readonly VaultEffect[] {
  const { hold_id, tenant_id, matter_id, revision, release } = hold;
  return emits.map((eventType) =>
    ledgerEntryEffect(ids, {
      tenant_id,
      source_system: '_records',
      entry: {
        event_family: 'legal-hold',
        event_type: eventType,
        event_effective_timestamp: isoTime(hold.updated_at.getTime()),
        outcome: to,
        payload: {
          hold_id,
          action,
          from,
          to,
          revision,
          by,
          ...(actor_id === null ? {} : { actor_id }),
          ...(matter_id === null ? {} : { matter_id }),
          ...(release === null ? {} : { authority_kind: release.authority.kind }),
        },
      },
    }),
  );
}

function custody(ids: Pick<Ids, 'next'>, hold: Hold, action: HoldAction, acting: Acting): readonly VaultEffect[] {
  const { hold_id, tenant_id, scope, release, revision } = hold;
  const named: CustodySubject[] = [
    ...(scope.event_ids ?? []).map((id) => ({ kind: 'EVENT' as const, id })),
    ...(scope.document_ids ?? []).map((id) => ({ kind: 'DOCUMENT' as const, id })),
  ];
  const effect = custodyEffect(ids, tenant_id, {
    action: CUSTODY[action],
    subject: { kind: 'HOLD', id: hold_id },
    subjects: named,
    member_ids: scope.member_ids ?? [],
    actor: acting.custody,
    at: isoTime(hold.updated_at.getTime()),
    ...(acting.request_id === null ? {} : { request_id: acting.request_id }),
    detail: {
      revision,
      ...(release === null
        ? {}
        : { authority_kind: release.authority.kind, authority_reference: release.authority.reference }),
    },
  });
  return [effect];
}

function told(ids: Pick<Ids, 'next'>, hold: Hold, action: HoldAction): readonly VaultEffect[] {
  if (action === 'update') return [];
  const at = isoTime(hold.updated_at.getTime());
  const { hold_id, tenant_id } = hold;
  return [platformEventEffect(ids, { tenant_id, type: TOLD[action], at, data: { hold_id, at } })];
}
