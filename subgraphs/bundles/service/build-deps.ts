import type { Clock } from '../../../shared/clock/clock.js';
import type { Checkpoints } from '../../../shared/contracts/checkpoints.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import type { Documents } from '../../../shared/contracts/documents.js';
import type { Holds } from '../../../shared/contracts/holds.js';
import type { LedgerRecords } from '../../../shared/contracts/ledger-records.js';
import type { Redactions } from '../../../shared/contracts/redactions.js';
import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { BuildPhase } from '../domain/build-phases.js';
import type { ArchiveStore, VerifierFile } from './ports/archive.js';
import type { BuildInputs, BuildInputsOf } from './ports/build-inputs.js';
import type { FrozenInputs, StoredBundle } from './ports/bundle-store.js';
import type { MatterScope } from './ports/matter-scope.js';
import type { SpoolFile, SpoolFiles } from './ports/spools.js';

/** What a build asks of other parts of the service. */
export interface BuildDeps {
  readonly clock: Clock;
  readonly ledgerRecords: LedgerRecords;
  readonly documents: Documents;
  readonly consent: ConsentGate;
  readonly holds: Holds;
  readonly redactions: Redactions;
  readonly checkpoints: Checkpoints;
  readonly signingKeys: SigningKeys;
  readonly tenants: TenantDirectory;
  readonly matterScope: MatterScope;
  /** Every id of the person whom this one stands for; none where members are known from events alone. */
  readonly membersOf: (tenantId: TenantId, memberId: string) => Promise<readonly string[]>;
  readonly inputsOf: BuildInputsOf;
  readonly spools: (name: string) => SpoolFiles;
  readonly archives: ArchiveStore;
  readonly verifierFiles: () => Promise<readonly VerifierFile[]>;
  readonly maxEvents: number;
  readonly generator: FrozenInputs['generator'];
}

/** Tells how far a build is. @throws LeaseLost when it is no longer this process's */
export type TellProgress = (phase: BuildPhase, done: number, total: number) => Promise<void>;

export class LeaseLost extends Error {}

/**
 * What the build was frozen with has been overtaken: the key signs no more, or something was disposed of since. Nothing of
 * the build has left yet, so that it begins again over what is there now.
 */
export class FrozenTooEarly extends Error {}

/** One build under way. */
export interface Build {
  readonly bundle: StoredBundle;
  readonly tenantId: TenantId;
  readonly frozen: FrozenInputs;
  readonly inputs: BuildInputs;
  readonly spools: SpoolFiles;
  readonly tell: TellProgress;
}

export type { SpoolFile };
