import type { Amounts } from './amounts.js';
import type { Fields } from './json.js';
import type { TimeSource } from './moments.js';
import type { References } from './references.js';

/** What the mapping of one resource may ask and tell. */
export interface MappingContext {
  readonly references: References;
  readonly amounts: Amounts;
  /** Tells what was odd; `element` is a FHIRPath of the resource. */
  warn(code: string, message: string, element?: string): void;
}

/** What a resource says, before the envelope is put around it. */
export interface Mapped {
  readonly family: string;
  readonly type: string;
  readonly outcome: string;
  readonly memberId: string;
  readonly times: readonly TimeSource[];
  readonly payload: Record<string, unknown>;
}

export type ResourceMapper = (resource: Fields, context: MappingContext) => Mapped;
