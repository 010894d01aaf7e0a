import type { Withheld } from '../../../../shared/consent/withheld.js';
import type { Ed25519Jwk } from '../../../../shared/crypto/ed25519.js';
import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { BundleProfile } from '../../../../shared/evidence/bundle/entries.js';
import type { BundleType } from '../../../../shared/evidence/bundle/manifest.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { WorkRow } from '../../../../shared/jobs/work-queue.js';
import type { BuildPhase } from '../../domain/build-phases.js';
import type { BundleScope } from '../../domain/bundle-scope.js';
import type { BundleAction, BundleStatus } from '../../domain/bundle-states.js';
import type { BundleEffect } from './bundle-effects.js';

export interface BuildProgress {
  readonly phase: BuildPhase;
  readonly done: number;
  readonly total: number;
}

/** What a build is made of, fixed before anything is read: a take-over makes the same bytes of it. */
export interface FrozenInputs {
  /** Names the rows of `bundle_inputs` that belong to it. */
  readonly round: number;
  readonly sealed_at: string;
  readonly member_ids: readonly string[];
  readonly event_ids: readonly string[];
  readonly document_ids: readonly string[];
  readonly checkpoint: {
    readonly origin: string;
    readonly incarnation: number;
    readonly tree_size: number;
    readonly root_hash: string;
    readonly note: string;
  };
  readonly generator: { readonly name: string; readonly version: string };
  readonly key: { readonly key_id: string; readonly public_key: Ed25519Jwk };
}

/** What a seal leaves in the row. */
export interface Seal {
  readonly worm_blob_sha256: string;
  readonly size: number;
  readonly event_count: number;
  readonly document_count: number;
  /** RFC 7638 thumbprint; the registry's own name of the key stands in FrozenInputs. */
  readonly signing_key_id: string;
  readonly sealed_at: string;
  readonly content_digest: string;
  /** Records that consent keeps out; absent where there are none. */
  readonly withheld?: Withheld;
}

/** For what a bundle is made, and to whom it goes: what consent is asked. */
export interface BundlePurpose {
  /** In upper case, as consents keep it. */
  readonly purpose: string;
  /** The actor (or key) that asks and, where another is named, `requested_by`: what one of them may not have stays out. */
  readonly actors: readonly string[];
}

export interface BundleFailure {
  readonly code: string;
  readonly message: string;
  readonly at: string;
}

export interface BundleChange {
  readonly revision: number;
  readonly action: BundleAction;
  readonly from: BundleStatus | null;
  readonly to: BundleStatus;
  readonly at: Date;
  readonly by: string;
  /** Of the request that made the change: the same request run again finds it done. */
  readonly work_id: string | null;
}

/** A bundle as stored. */
export interface StoredBundle {
  readonly bundle_id: string;
  readonly tenant_id: TenantId;
  readonly bundle_type: BundleType;
  readonly scope: BundleScope;
  readonly profile: BundleProfile;
  /** Null where no purpose is stated: consent is not asked. */
  readonly consent: BundlePurpose | null;
  readonly requested_by: string;
  readonly status: BundleStatus;
  readonly progress: BuildProgress;
  readonly frozen: FrozenInputs | null;
  readonly seal: Seal | null;
  readonly failure: BundleFailure | null;
  readonly regenerated_from: string | null;
  readonly revision: number;
  readonly created_at: Date;
  readonly created_by: string;
  readonly updated_at: Date;
  readonly history: readonly BundleChange[];
}

/** The same as a row of the queue. */
export type BundleRow = Omit<StoredBundle, 'bundle_id'> & WorkRow & { readonly tenant_id: TenantId };

export interface BundleQuery extends ListWindow {
  readonly status?: BundleStatus | undefined;
  readonly bundle_type?: BundleType | undefined;
  readonly member_id?: string | undefined;
  readonly matter_id?: string | undefined;
  readonly incident_id?: string | undefined;
}

export interface BundleWrite {
  readonly bundle: Omit<StoredBundle, 'history'>;
  readonly change: BundleChange;
  readonly pending: readonly BundleEffect[];
}

/** Bundles of one tenant. */
export interface TenantBundles {
  get(bundleId: string): Promise<StoredBundle | null>;
  /** Up to `limit + 1` bundles in order. */
  list(query: BundleQuery): Promise<readonly StoredBundle[]>;
  /** Due to be built at once. Null when the identifier is taken. Durable when it resolves. */
  insert(write: BundleWrite): Promise<StoredBundle | null>;
  /** A FAILED one, due again. Null when it is no longer at this revision. */
  again(write: BundleWrite, revision: number): Promise<StoredBundle | null>;
  /** Performs what a write has left behind. */
  relay(write: Pick<BundleWrite, 'pending'> & { readonly bundle: Pick<StoredBundle, 'bundle_id'> }): Promise<void>;
}

export type BundleStore = (tenantId: TenantId) => TenantBundles;
