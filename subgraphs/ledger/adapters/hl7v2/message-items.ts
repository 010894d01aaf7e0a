import type { AdapterWarning } from '../adapter.js';
import { isUsable } from './identity.js';
import type { Message } from './message.js';
import type { Segment } from './segment.js';
import type { Separators } from './separators.js';

const controlIdLimit = 400;

/** MSH-10, else the hash of the message: the same bytes have the same id. */
export function recordIdOf(message: Message, n: number): string {
  const { controlId } = message.header;
  const id = isUsable(controlId, controlIdLimit) ? controlId : `sha256:${message.part.sha256.slice(0, 32)}`;
  return n === 0 ? id : `${id}/${n}`;
}

/** MSH as an acknowledgement needs it: addresses and ids as they stand, escapes and all. */
export function headerOf(msh: Segment, separators: Separators): Record<string, string> {
  const { field, component, repetition, subcomponent } = separators;
  return {
    field_separator: field,
    encoding_characters: component + repetition + separators.escape + subcomponent,
    sender: msh.value(3),
    receiver: msh.value(5),
    control_number: msh.value(10),
    sending_application: msh.field(3),
    sending_facility: msh.field(4),
    receiving_application: msh.field(5),
    receiving_facility: msh.field(6),
    trigger: msh.field(9).split(component)[1] ?? '',
    control_id: msh.field(10),
    processing: msh.field(11),
    version: msh.field(12),
    accept_acknowledgement: msh.value(15).toUpperCase(),
    application_acknowledgement: msh.value(16).toUpperCase(),
  };
}

/** A warning as stored, in the record's own spelling. */
export function describeWarning({
  code,
  message,
  segment,
  element,
  position,
}: AdapterWarning): Record<string, unknown> {
  return {
    code,
    message,
    ...(segment !== undefined && { segment }),
    ...(element !== undefined && { element }),
    ...(position !== undefined && { byte_offset: position.byteOffset, segment_number: position.segmentNumber }),
  };
}
