import { z } from 'zod';
import { defineCall, json, list } from '../contracts/call.js';
import type { TenantId } from '../ids/tenant.js';

/** A code and the day on which it was used. */
const AskedCode = z.object({
  /** `ICD10CM`, `HCPCS`, `CARC` and the other systems of `npm run codes:import`. */
  system: z.string(),
  code: z.string(),
  /** YYYY-MM-DD; null if the day is not known, and then days of validity do not count. */
  day: z.string().nullable(),
});
export type AskedCode = z.infer<typeof AskedCode>;

/** Why a code may not be used. */
const CODE_FAULTS = ['NOT_IN_TABLE', 'NOT_IN_FORCE', 'NOT_BILLABLE'] as const;
export type CodeFault = (typeof CODE_FAULTS)[number];

const FaultyCode = z.object({
  /** Index of the code in the question. */
  at: z.int(),
  fault: z.enum(CODE_FAULTS),
  /** The edition of the table that says so. */
  edition: z.string(),
});
export type FaultyCode = z.infer<typeof FaultyCode>;

/** The tables of codes that an operator has imported. */
export interface CodeJudge {
  /** The systems with a table. */
  systems(tenantId: TenantId): Promise<readonly string[]>;
  /** The faulty ones of these codes. A code of a system without a table is never faulty. */
  faulty(tenantId: TenantId, codes: readonly AskedCode[]): Promise<readonly FaultyCode[]>;
}

export const codeSystems = defineCall({
  subgraph: 'advocacy',
  kind: 'query',
  name: 'codeSystems',
  input: {},
  output: list(z.string()),
});

export const faultyCodes = defineCall({
  subgraph: 'advocacy',
  kind: 'query',
  name: 'faultyCodes',
  input: { codes: json(list(AskedCode)) },
  output: list(FaultyCode),
});
