import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import { defineCall, list, TEXTS } from './call.js';

/** Artifacts of rules, for parts that delete stored bytes. */
export interface RuleArtifacts {
  /** The ones of these contents that a revision of one of the tenant's rules uses. */
  named(tenantId: TenantId, sha256s: readonly string[]): Promise<readonly string[]>;
}

export const ruleArtifacts = defineCall({
  subgraph: 'advocacy',
  kind: 'query',
  name: 'ruleArtifacts',
  input: { sha256s: TEXTS },
  output: list(z.string()),
});
