import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/json/strict-json.js';

// FHIR's XML form (R4, "XML Representation of Resources") of resources that the service makes itself. Their members have
// the order of the elements already; narratives and extensions of primitives do not occur in them.

const NAMESPACE = 'http://hl7.org/fhir';
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

const escaped = (text: string): string => text.replace(/[&<"\t\n\r]/g, (character) => ESCAPES[character] ?? '');

/** A resource of the service as an XML document. @throws RangeError for an object without `resourceType` */
export const fhirXml = (resource: JsonObject): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${resourceElement(resource, ` xmlns="${NAMESPACE}"`)}`;

function resourceElement({ resourceType, ...members }: JsonObject, attributes = ''): string {
  if (typeof resourceType !== 'string') throw new RangeError('a resource has no resourceType');
  return `<${resourceType}${attributes}>${elementsOf(members)}</${resourceType}>`;
}

const elementsOf = (members: JsonObject): string =>
  Object.entries(members)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => elementOf(name, one ?? null)))
    .join('');

function elementOf(name: string, value: JsonValue): string {
  if (value === null || Array.isArray(value)) return '';
  if (!isJsonObject(value)) return `<${name} value="${escaped(String(value))}"/>`;
  const content = typeof value['resourceType'] === 'string' ? resourceElement(value) : elementsOf(value);
  return `<${name}>${content}</${name}>`;
}
