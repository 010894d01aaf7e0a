import { describeDay } from '../values/hl7-timestamps.js';
import { bestMember, memberValue, type NamedIdentifier, namespaced, roleOf } from '../values/identity.js';
import { compact, filled, isUsable } from '../values/payload.js';
import type { ElementNode } from '../values/xml/element-tree.js';
import { codesOf, wordsOf } from './codes.js';
import { attribute, childrenOf, find, idOf, textOf } from './elements.js';

/** What the header of a document says of all its events. */
export interface DocumentHeader {
  /** '' if the document has none. */
  readonly id: string;
  readonly version: string;
  readonly title: string;
  /** As sent. */
  readonly time: string;
  /** '' if unknown. */
  readonly memberId: string;
  /** The organization that keeps the document; '' if unnamed. */
  readonly custodian: string;
  /** Members of the payload of each event. */
  readonly payload: Record<string, unknown>;
}

export function headerOf(document: ElementNode): DocumentHeader {
  const targets = childrenOf(document, 'recordTarget');
  const [role] = targets.map((target) => find(target, 'patientRole'));
  const identifiers = identifiersOf(role);
  const id = idOf(document);
  const version = attribute(document, 'value', 'versionNumber');
  const title = textOf(document, 'title') || wordsOf(find(document, 'code'));
  const [type] = codesOf(find(document, 'code'));
  const organization = find(document, 'custodian', 'assignedCustodian', 'representedCustodianOrganization');
  return {
    id,
    version,
    title,
    time: attribute(document, 'value', 'effectiveTime'),
    // Two patients in one document: no rule gives an entry to one of them.
    memberId: targets.length === 1 ? memberOf(identifiers) : '',
    custodian: textOf(organization, 'name'),
    payload: {
      identifiers: identifiers.map(({ value, system }) => compact({ value, system: system && `urn:oid:${system}` })),
      patient: patientOf(role),
      document_id: id,
      document: compact({ number: id, version, set_id: idOfSet(document), type: type?.code, type_text: title }),
    },
  };
}

function idOfSet(document: ElementNode): string {
  const set = find(document, 'setId');
  return filled([attribute(set, 'root'), attribute(set, 'extension')]).join('|');
}

const identifiersOf = (role: ElementNode | undefined): NamedIdentifier[] =>
  childrenOf(role, 'id')
    .slice(0, 50)
    .map((id) => ({ value: attribute(id, 'extension'), system: attribute(id, 'root'), types: [] }))
    .filter(({ value }) => value !== '');

/** The member number of a plan, else the number of the facility under its namespace. Never a person's number. */
function memberOf(identifiers: readonly NamedIdentifier[]): string {
  const member = bestMember(identifiers);
  const local = identifiers.find((one) => roleOf(one) === 'LOCAL' && one.system !== '');
  const found = member === null ? namespaced(local?.system ?? '', local?.value ?? '') : memberValue(member);
  return isUsable(found) ? found : '';
}

const GENDERS: Readonly<Record<string, string | undefined>> = { M: 'male', F: 'female', UN: 'other' };

function patientOf(role: ElementNode | undefined): Record<string, unknown> {
  const patient = find(role, 'patient');
  const name = find(patient, 'name');
  const given = childrenOf(name, 'given').map(({ text }) => text);
  return compact({
    last_name: textOf(name, 'family'),
    first_name: given[0],
    middle_name: given.slice(1).join(' '),
    birth_date: describeDay(attribute(patient, 'value', 'birthTime')),
    gender: GENDERS[attribute(patient, 'code', 'administrativeGenderCode')],
    state: textOf(role, 'addr', 'state'),
  });
}
