import type { Clock } from '../../../shared/clock/clock.js';
import type { Checkpoints } from '../../../shared/contracts/checkpoints.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import type { Documents } from '../../../shared/contracts/documents.js';
import type { Holds } from '../../../shared/contracts/holds.js';
import type { LedgerRecords } from '../../../shared/contracts/ledger-records.js';
import type { Redactions } from '../../../shared/contracts/redactions.js';
import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import type { FactPlace } from '../../../shared/facts/fact.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { StateMaps } from '../../../shared/state-map/calls.js';
import type { ArchiveStore, SpoolFiles, VerifierFile } from '../archive/index.js';
import type { BuildPhase } from '../bundles/domain/index.js';
import type { FrozenInputs, Sealing, StoredBundle } from '../bundles/index.js';
import type { MatterScope } from '../matters/index.js';

/** What a build uses of other areas and subgraphs. */
export interface BuildDeps {
  readonly clock: Clock;
  readonly ledgerRecords: LedgerRecords;
  readonly documents: Documents;
  readonly consent: ConsentGate;
  readonly holds: Holds;
  readonly redactions: Redactions;
  readonly checkpoints: Checkpoints;
  readonly stateMaps: StateMaps;
  readonly signingKeys: SigningKeys;
  readonly tenants: TenantDirectory;
  readonly matterScope: MatterScope;
  /** Returns every id of the person with this member id, or none if no member record exists. */
  readonly membersOf: (tenantId: TenantId, memberId: string) => Promise<readonly string[]>;
  readonly inputsOf: BuildInputsOf;
  readonly spools: (name: string) => SpoolFiles;
  readonly archives: ArchiveStore;
  readonly verifierFiles: () => Promise<readonly VerifierFile[]>;
  /** Commits the manifest before it is signed, once for the same manifest. @throws LeaseLost */
  readonly announceSeal: (build: Build, sealing: Sealing) => Promise<FactPlace>;
  readonly maxEvents: number;
  readonly generator: FrozenInputs['generator'];
}

/**
 * Reports the progress of a build.
 *
 * @throws LeaseLost if this process no longer holds the lease
 */
export type ReportProgress = (phase: BuildPhase, done: number, total: number) => Promise<void>;

export class LeaseLost extends Error {}

/**
 * The frozen inputs are out of date: the key was rotated, or a record was disposed of since. Nothing was published yet,
 * so the build starts again with current inputs.
 */
export class FrozenTooEarly extends Error {}

/** One running build. */
export interface Build {
  readonly bundle: StoredBundle;
  readonly tenantId: TenantId;
  readonly frozen: FrozenInputs;
  readonly inputs: BuildInputs;
  readonly spools: SpoolFiles;
  readonly reportProgress: ReportProgress;
}

/**
 * Stored answers of other subgraphs, written before use: a worker that takes the build over works with the same ones.
 */
interface BuildInputs {
  /**
   * Returns the stored value, or stores the one that `make` returns.
   *
   * @param kind names the value within the build, with `n`
   */
  kept<T extends object>(kind: string, n: number, make: () => Promise<T>): Promise<T>;
  /** Deletes all inputs of the bundle, once the build has ended. */
  forget(): Promise<void>;
}

export type BuildInputsOf = (tenantId: TenantId, bundleId: string, round: number) => BuildInputs;
