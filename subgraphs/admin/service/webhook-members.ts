import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import type { UrlVerdict } from '../../../shared/http/safe-connect/judge-url.js';
import { EVENT_KIND_NAMES } from '../../../shared/outbox/event-kinds.js';
import { unknownTypes } from '../domain/webhook.js';

/** Members that a caller gives or changes; null takes one away. */
export interface WebhookMembers {
  readonly url?: string;
  readonly description?: string | null;
  readonly event_types?: readonly string[];
  readonly source_systems?: readonly string[] | null;
  readonly throttle_per_second?: number | null;
  readonly max_in_flight?: number;
}

/** Judges an address as it is written, without resolving it. */
export type UrlJudge = (url: string) => UrlVerdict;

/** @throws VALIDATION_ERROR for an address that is never to be sent to, and for kinds that are none. */
export function judgeMembers(judgeUrl: UrlJudge, { url, event_types = [] }: WebhookMembers): void {
  const verdict: UrlVerdict | undefined = url === undefined ? undefined : judgeUrl(url);
  const unknown = new Set(unknownTypes(event_types, EVENT_KIND_NAMES));
  const errors: FieldFault[] = [
    ...(verdict !== undefined && 'refused' in verdict ? [fault('/url', 'address', verdict.refused)] : []),
    ...event_types.flatMap((type, index) =>
      unknown.has(type) ? [fault(`/event_types/${index}`, 'unknown', 'No such event kind.')] : [],
    ),
  ];
  if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
}

interface NamedTypes {
  readonly event_types?: readonly string[] | undefined;
  readonly events?: readonly string[] | undefined;
}

/** `events` is taken for `event_types` (specification "Webhook subscription"). @throws VALIDATION_ERROR */
export function eventTypesOf(named: NamedTypes, required: true): readonly string[];
export function eventTypesOf(named: NamedTypes, required: boolean): readonly string[] | undefined;
export function eventTypesOf({ event_types, events }: NamedTypes, required: boolean): readonly string[] | undefined {
  const types = event_types ?? events;
  const [path, code, message] =
    types === undefined && required
      ? (['/event_types', 'required', 'Is missing.'] as const)
      : (['/events', 'differs', 'Must equal event_types.'] as const);
  const differ = event_types !== undefined && events !== undefined && event_types.join() !== events.join();
  if (differ || (types === undefined && required)) {
    throw problem('VALIDATION_ERROR', { errors: [fault(path, code, message)] });
  }
  return types;
}
