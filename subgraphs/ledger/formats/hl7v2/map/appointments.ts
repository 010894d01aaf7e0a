import { compact } from '../../values/payload.js';
import type { Segment } from '../message/segment.js';
import { codedField, describeCoded } from './clinical-codes.js';
import { describeFields, type Fields, fieldsOf } from './fields.js';

/** SCH; TQ1 has the times where SCH-11, deprecated since 2.5, is empty. */
const APPOINTMENT = fieldsOf(
  'placer_number=SCH-1 filler_number=SCH-2 group_number=SCH-4 parent_placer_number=SCH-23 ' +
    'parent_filler_number=SCH-24 reason=SCH-7.2t|SCH-7t event_reason=SCH-6.2t|SCH-6t type=SCH-8.2t|SCH-8t ' +
    'duration=SCH-9 duration_unit=SCH-10 starts_at=SCH-11.4m|TQ1-7m ends_at=SCH-11.5m|TQ1-8m ' +
    'status=SCH-25 placer_order_number=SCH-26 filler_order_number=SCH-27',
);

interface ResourceKind {
  readonly kind: string;
  readonly fields: Fields;
  readonly describe: (resource: Segment) => Record<string, unknown>;
}

const coded = (resource: Segment): Record<string, unknown> => describeCoded(codedField(resource, 3));
const located = fieldsOf('code=3 text=3l');

/** AIP-3: the person's id and name. */
function person(resource: Segment): Record<string, unknown> {
  const [last, first] = [resource.value(3, 2), resource.value(3, 3)];
  return compact({ code: resource.value(3), text: first === '' ? last : `${last}, ${first}` });
}

const RESOURCES: ReadonlyMap<string, ResourceKind> = new Map([
  ['AIS', { kind: 'service', fields: fieldsOf('starts_at=4m duration=7 duration_unit=8 status=10'), describe: coded }],
  [
    'AIG',
    {
      kind: 'equipment',
      fields: fieldsOf('type=4.2t|4 starts_at=8m duration=11 duration_unit=12 status=14'),
      describe: coded,
    },
  ],
  [
    'AIL',
    {
      kind: 'location',
      fields: fieldsOf('type=4.2t|4 starts_at=6m duration=9 duration_unit=10 status=12'),
      describe: (resource) => describeFields(resource, located),
    },
  ],
  [
    'AIP',
    {
      kind: 'person',
      fields: fieldsOf('type=4.2t|4 starts_at=6m duration=9 duration_unit=10 status=12'),
      describe: person,
    },
  ],
]);
const RESOURCES_LIMIT = 100;

/** SCH and its resources: services, equipment, places and persons. */
export function describeAppointment(segments: readonly Segment[]): Record<string, unknown> {
  const resources: Record<string, unknown>[] = [];
  for (const segment of segments) {
    const found = RESOURCES.get(segment.id);
    if (found === undefined || resources.length >= RESOURCES_LIMIT) continue;
    resources.push({ kind: found.kind, ...found.describe(segment), ...describeFields(segment, found.fields) });
  }
  const described = describeFields((id) => segments.find((segment) => segment.id === id), APPOINTMENT);
  return compact({ ...described, resources });
}
