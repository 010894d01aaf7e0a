import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { PendingEffect } from '../../../../shared/outbox/pending-effect.js';
import type { ActorKind, ActorStatus } from '../../domain/actor-states.js';
import type { Reach } from '../../domain/key-grant.js';

export interface ActorRecord {
  readonly actor_id: string;
  /** A tenant, or `*` for an actor of the platform's operator. */
  readonly tenant_id: Reach;
  readonly name: string;
  readonly kind: ActorKind;
  readonly status: ActorStatus;
  readonly role_ids: readonly string[];
  readonly created_at: Date;
  readonly created_by: string;
  readonly updated_at: Date;
}

export interface ActorQuery extends ListWindow {
  readonly status?: ActorStatus | undefined;
  readonly kind?: ActorKind | undefined;
  readonly name?: string | undefined;
}

/** A change of an actor, made only while the actor is as `from` says; what follows from it goes with the same write. */
export interface ActorChange {
  readonly from: { readonly status?: ActorStatus; readonly hasRole?: string; readonly lacksRole?: string };
  readonly set: Partial<Pick<ActorRecord, 'name' | 'kind' | 'status'>> & Pick<ActorRecord, 'updated_at'>;
  readonly addRole?: string;
  readonly removeRole?: string;
  readonly pending: readonly PendingEffect[];
}

export interface ActorsInReach {
  get(actorId: string): Promise<ActorRecord | null>;
  /** Up to `limit + 1` rows in order. */
  list(query: ActorQuery): Promise<readonly ActorRecord[]>;
  /** The actor as it is afterwards; null when there is none in reach that is as `from` says. */
  change(actorId: string, change: ActorChange): Promise<ActorRecord | null>;
}

export interface ActorStore {
  /** False when the identifier is taken. Durable when it resolves. */
  insert(actor: ActorRecord, pending: readonly PendingEffect[]): Promise<boolean>;
  within(reach: Reach): ActorsInReach;
  /** Is there an actor of the tenant with this role? */
  isRoleHeld(tenantId: Reach, roleId: string): Promise<boolean>;
}
