import type { TenantId } from '../../../../shared/ids/tenant.js';

/** What a build has asked of other parts, kept before it is used: who takes the build over works with the same. */
export interface BuildInputs {
  /** What was kept under this name, else what `make` gives. @param kind and `n` name it within the build. */
  kept<T extends object>(kind: string, n: number, make: () => Promise<T>): Promise<T>;
  /** Takes all of it away, once the build has ended. */
  forget(): Promise<void>;
}

export type BuildInputsOf = (tenantId: TenantId, bundleId: string, round: number) => BuildInputs;
