import type { ExceptionKind } from '../../../../shared/contracts/exceptions.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';

/** Resolves the exception that stands of this kind and subject, if there is one: what it told of has righted itself. */
export type ResolveException = (
  tenantId: string,
  kind: ExceptionKind,
  subject: JsonObject,
  note: string,
) => Promise<void>;
