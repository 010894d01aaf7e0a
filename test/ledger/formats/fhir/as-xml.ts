import { isFields } from '../../../../subgraphs/ledger/formats/fhir/json/objects.js';

const NAMESPACE = 'xmlns="http://hl7.org/fhir"';
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll('\n', '&#10;');

/** Writes a resource of JSON as FHIR XML. `indent` is put before every tag. */
export function asXml(resource: unknown, indent = ''): string {
  return `<?xml version="1.0" encoding="UTF-8"?>${resourceXml(resource, indent, ` ${NAMESPACE}`)}`;
}

function resourceXml(resource: unknown, indent: string, namespace: string): string {
  if (!isFields(resource)) throw new Error('a resource is an object');
  const { resourceType, ...rest } = resource;
  return `${indent}<${resourceType}${namespace}>${membersXml(rest, indent)}${indent}</${resourceType}>`;
}

function membersXml(members: Readonly<Record<string, unknown>>, indent: string): string {
  const names = new Set(Object.keys(members).map((key) => key.replace(/^_/, '')));
  return [...names]
    .map((name) => {
      const [values, more] = [listOf(members[name]), listOf(members[`_${name}`])];
      const count = Math.max(values.length, more.length);
      return Array.from({ length: count }, (_, at) => elementXml(name, values[at], more[at], indent)).join('');
    })
    .join('');
}

const listOf = (value: unknown): unknown[] => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

function elementXml(name: string, value: unknown, more: unknown, indent: string): string {
  if (name === 'div' && typeof value === 'string') return indent + value;
  const inner = isFields(value) ? value : isFields(more) ? more : {};
  if (isFields(value) && value['resourceType'] !== undefined) {
    return `${indent}<${name}>${resourceXml(value, indent, '')}${indent}</${name}>`;
  }
  const { id, url, ...rest } = inner;
  const isAttribute = name === 'extension' || name === 'modifierExtension';
  const attributes = [
    ...(typeof id === 'string' ? [['id', id]] : []),
    ...(isAttribute && typeof url === 'string' ? [['url', url]] : []),
    ...(isFields(value) || value === undefined || value === null ? [] : [['value', String(value)]]),
  ].map(([key, text]) => ` ${key}="${escaped(text ?? '')}"`);
  const below = membersXml(isAttribute || url === undefined ? rest : { ...rest, url }, indent);
  return below === ''
    ? `${indent}<${name}${attributes.join('')}/>`
    : `${indent}<${name}${attributes.join('')}>${below}${indent}</${name}>`;
}
