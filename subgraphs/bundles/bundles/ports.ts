import type { Withheld } from '../../../shared/consent/withheld.js';
import type { OutsideException } from '../../../shared/contracts/exceptions.js';
import type { Ed25519Jwk } from '../../../shared/crypto/ed25519.js';
import type { ManifestAnchoring } from '../../../shared/evidence/bundle/manifest.js';
import type { FactPlace } from '../../../shared/facts/fact.js';
import type { ExtraRow } from '../../../shared/graph/extra.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { WorkRow } from '../../../shared/jobs/work-queue.js';
import type { Effect, PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery, Records } from '../../../shared/records/records.js';
import type { StepLine, Stored } from '../../../shared/records/stored.js';
import type { FrozenMap } from '../../../shared/state-map/calls.js';
import type { BundleScope } from './domain/scope.js';
import type { BundleAction, BundleStatus } from './domain/states.js';
import type { Bundle } from './schema/bundle.js';

/** Opens an exception for a failed build; a new build resolves it. */
interface BundleExceptionEffect extends Effect {
  readonly kind: 'open-exception';
  readonly tenant_id: TenantId;
  readonly exception: OutsideException;
}

interface BundleResolvedEffect extends Effect {
  readonly kind: 'resolve-exception';
  readonly tenant_id: TenantId;
  readonly subject: OutsideException['subject'];
  readonly note: string;
}

/** Requests a time-stamp for the signature of a sealed bundle, if the deployment names an authority. */
interface BundleTimestampEffect extends Effect {
  readonly kind: 'ask-timestamp';
  readonly tenant_id: TenantId;
  readonly bundle_id: string;
}

export type BundleEffect = PendingEffect | BundleTimestampEffect | BundleExceptionEffect | BundleResolvedEffect;

/** Inputs of a build, fixed before anything is read: a worker that takes over makes the same bytes. */
export interface FrozenInputs {
  /** Names the `bundle_inputs` rows of this build. */
  readonly round: number;
  readonly sealed_at: string;
  readonly member_ids: readonly string[];
  /** Tags of the members, in their order. */
  readonly member_tags: readonly string[];
  /** The state map that the checkpoint ends with. */
  readonly map: Omit<FrozenMap, 'checkpoint'>;
  readonly event_ids: readonly string[];
  readonly document_ids: readonly string[];
  readonly checkpoint: {
    readonly origin: string;
    readonly incarnation: number;
    readonly tree_size: number;
    readonly root_hash: string;
    readonly note: string;
  };
  /** Absent from builds of earlier versions. */
  readonly anchoring?: ManifestAnchoring;
  readonly generator: { readonly name: string; readonly version: string };
  readonly key: { readonly key_id: string; readonly public_key: Ed25519Jwk };
}

type SealNames =
  | 'worm_blob_sha256'
  | 'size'
  | 'event_count'
  | 'document_count'
  | 'signing_key_id'
  | 'sealed_at'
  | 'content_digest';

/**
 * Facts of the seal, stored in the row. `signing_key_id` is the RFC 7638 thumbprint; FrozenInputs holds the registry's id
 * of the key.
 */
export interface Seal extends Readonly<Required<Pick<Bundle, SealNames>>> {
  /** Records that consent withholds; absent if there are none. */
  readonly withheld?: Withheld;
}

/** What a build is about to sign: its fact precedes the signature. */
export interface Sealing {
  readonly content_digest: string;
  /** SHA-256 of the manifest without its signature. */
  readonly manifest_sha256: string;
}

/** Purpose and readers of a bundle, for the consent check. */
export interface BundlePurpose {
  /** In upper case, as consents store it. */
  readonly purpose: string;
  /** The requesting actor or key and, if different, `requested_by`. A record withheld from one of them is left out. */
  readonly actors: readonly string[];
}

interface OwnMembers extends ExtraRow {
  readonly scope: BundleScope;
  /** Null if no purpose is stated: consent is not checked. */
  readonly consent: BundlePurpose | null;
  readonly frozen: FrozenInputs | null;
  readonly sealing: Sealing | null;
  readonly seal: Seal | null;
  readonly failure: Readonly<NonNullable<Bundle['failure']>> | null;
  readonly regenerated_from: string | null;
  readonly revision: number;
  readonly updated_at: Date;
  readonly history: readonly Omit<StepLine<BundleStatus, BundleAction>, 'actor_id'>[];
}

export type StoredBundle = Stored<Bundle, OwnMembers, 'purpose' | 'withheld' | SealNames> & {
  readonly fact?: FactPlace;
};

/** A bundle as a row of the queue. */
export type BundleRow = Omit<StoredBundle, 'bundle_id'> & WorkRow & { readonly tenant_id: TenantId };

export interface BundleQuery extends ListQuery<StoredBundle> {
  /** Only bundles over this member, matter or incident. */
  readonly scope?: { readonly [Name in 'member_id' | 'matter_id' | 'incident_id']?: string | undefined };
}

/** The bundles of one tenant. A bundle is due work while it is REQUESTED. */
export interface TenantBundles extends Records<StoredBundle, BundleEffect> {
  page(query: BundleQuery): Promise<Page<StoredBundle>>;
  /** Returns the contents that are archives of sealed bundles of the tenant, whatever their current status. */
  archives(sha256s: readonly string[]): Promise<readonly string[]>;
}

export type BundleStore = (tenantId: TenantId) => TenantBundles;
