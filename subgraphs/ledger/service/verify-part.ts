import type { Clock } from '../../../shared/clock/clock.js';
import type { NotCheckedPart } from '../../../shared/contracts/ledger-verification.js';
import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import type { WormUpkeep } from '../../../shared/worm/worm-upkeep.js';
import type { Break } from '../domain/verify-chain.js';
import type { TenantIntegrity } from './ports/integrity-store.js';
import type { TenantTree } from './ports/tree-store.js';
import type { TenantContext } from './tenant-context.js';
import type { VerifyState } from './verify-state.js';

/** A ledger that is broken everywhere must not fill the memory; the answer says when it holds back. */
export const MAX_BREAKS_LISTED = 10_000;

export interface VerifyDeps {
  readonly clock: Clock;
  readonly signingKeys: Pick<SigningKeys, 'publicKey'>;
  /** Looked at in one part: entries, leaves, names of records. */
  readonly partRows: number;
}

/** Everything of one tenant that is compared. */
export interface VerifiedTenant {
  readonly context: TenantContext;
  readonly tree: TenantTree;
  readonly integrity: TenantIntegrity;
  readonly upkeep: WormUpkeep;
}

export interface VerifiedRange {
  readonly source_system: string;
  readonly from_sequence: number;
  readonly to_sequence: number;
  readonly checked: number;
  readonly head_hash: string | null;
}

/** What one part finds; the next one is handed its state. */
export class PartFindings {
  readonly partitions: VerifiedRange[] = [];
  readonly breaks: Break[] = [];
  readonly notChecked: NotCheckedPart[] = [];
  #listed: number;
  #unlisted: number;

  constructor({ listed, unlisted }: Pick<VerifyState, 'listed' | 'unlisted'>) {
    this.#listed = listed;
    this.#unlisted = unlisted;
  }

  report(breaks: readonly Break[]): void {
    const room = Math.max(0, MAX_BREAKS_LISTED - this.#listed);
    const listed = breaks.slice(0, room);
    this.breaks.push(...listed);
    this.#listed += listed.length;
    this.#unlisted += breaks.length - listed.length;
  }

  counts(): Pick<VerifyState, 'listed' | 'unlisted'> {
    return { listed: this.#listed, unlisted: this.#unlisted };
  }
}

/** A break of what belongs to no single chain. */
export const wholeBreak = (kind: Break['kind'], detail: string): Break => ({
  kind,
  source_system: null,
  sequence: null,
  event_id: null,
  detail,
});
