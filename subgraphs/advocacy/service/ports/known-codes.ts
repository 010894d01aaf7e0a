import type { NamedCode } from '../../domain/rules/rule-codes.js';

/** What the tables know of codes that a rule names: those that come with the service, and those that were imported. */
export interface KnownCodes {
  /** Whether a table of its system has it, or with a family any code of it. True where there is no table of its system. */
  among(codes: readonly NamedCode[]): Promise<(code: NamedCode) => boolean>;
}
