import type { ElementRange } from '../../values/xml/document-splitter.js';
import type { ElementNode } from '../../values/xml/element-tree.js';
import { type ElementType, type ElementTypes, isPrimitive } from './element-types.js';

/** JSON in ASCII, so that its length in characters is its length in bytes. */
export interface PlacedJson {
  readonly text: string;
  /** Where objects begin in `text`, with the elements that they were read from: resources, entries and parameters. */
  readonly places: ReadonlyMap<number, ElementRange>;
}

/** An element that has no counterpart in JSON. */
export class ConversionFault extends Error {
  readonly code: 'ELEMENT_REPEATED' | 'RESOURCE_TYPE_MISSING';

  constructor(code: ConversionFault['code'], message: string) {
    super(message);
    this.code = code;
  }
}

const NUMBERS: ReadonlySet<string> = new Set(['decimal', 'integer', 'positiveInt', 'unsignedInt']);
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Objects that a reader may reject alone. */
const ENTRIES: ReadonlySet<string> = new Set(['Bundle.entry', 'Parameters.parameter']);

/** A text as ASCII JSON. */
export const quoted = (text: string): string =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Writes elements of FHIR XML as the JSON of the same resource: primitives with their types, lists by cardinality, ids
 * and extensions of primitives under `_name`, the narrative as text. Elements that R4 does not have are kept, so that
 * strict reading rejects them.
 */
export class ResourceWriter {
  #text = '';
  #places = new Map<number, ElementRange>();
  readonly #types: ElementTypes;
  readonly #sourceOf: (range: ElementRange) => string;

  /** `sourceOf` returns the markup of an element, for the narrative. */
  constructor(types: ElementTypes, sourceOf: (range: ElementRange) => string) {
    this.#types = types;
    this.#sourceOf = sourceOf;
  }

  /** @throws ConversionFault */
  resource(node: ElementNode): PlacedJson {
    this.#object(node, node.name, true);
    return this.#taken();
  }

  /** The members that one element below a resource of type `owner` gives, or one item of a list. @throws ConversionFault */
  member(owner: string, node: ElementNode): PlacedJson {
    const { type, isList } = this.elementOf(owner, [node]);
    if (isList && !isPrimitive(type)) this.#complex(node, type);
    else this.#member(this.#keys(), owner, [node.name, [node]]);
    return this.#taken();
  }

  /** Type and cardinality; of an element that R4 does not have, as it looks. */
  elementOf(owner: string, nodes: readonly ElementNode[]): ElementType {
    const known = this.#types(owner)?.get(nodes[0]?.name ?? '');
    if (known !== undefined) return known;
    const hasValue = nodes.some(({ attributes }) => attributes.has('value'));
    return { type: hasValue ? 'string' : 'Unknown', isList: nodes.length > 1 };
  }

  #taken(): PlacedJson {
    const taken = { text: this.#text, places: this.#places };
    this.#text = '';
    this.#places = new Map();
    return taken;
  }

  /** Writes the keys of one object, with the commas between its members. */
  #keys(): (key: string) => void {
    let comma = '';
    return (key) => {
      this.#text += `${comma}${quoted(key)}:`;
      comma = ',';
    };
  }

  #object(node: ElementNode, type: string, isResource = false): void {
    if (isResource || ENTRIES.has(type)) this.#places.set(this.#text.length, node.range);
    this.#text += '{';
    const key = this.#keys();
    const text = (name: string, value: string | undefined): void => {
      if (value === undefined) return;
      key(name);
      this.#text += quoted(value);
    };
    text(isResource ? 'resourceType' : 'id', isResource ? type : node.attributes.get('id'));
    // The JSON of FHIR has the URL of an extension behind the extensions inside it.
    let url = node.attributes.get('url');
    for (const group of grouped(node.children)) {
      if (url !== undefined && group[0] !== 'extension') {
        text('url', url);
        url = undefined;
      }
      this.#member(key, type, group);
    }
    text('url', url);
    this.#text += '}';
  }

  #member(key: (name: string) => void, owner: string, [name, nodes]: readonly [string, readonly ElementNode[]]): void {
    const { type, isList } = this.elementOf(owner, nodes);
    if (!isList && nodes.length > 1) {
      throw new ConversionFault('ELEMENT_REPEATED', 'an element that occurs once is repeated');
    }
    if (isPrimitive(type)) {
      this.#primitives(key, name, { type, nodes, isList });
      return;
    }
    key(name);
    this.#list(nodes, isList, (node) => this.#complex(node, type));
  }

  #list(nodes: readonly ElementNode[], isList: boolean, write: (node: ElementNode) => void): void {
    if (isList) this.#text += '[';
    for (const [at, node] of nodes.entries()) {
      if (at > 0) this.#text += ',';
      write(node);
    }
    if (isList) this.#text += ']';
  }

  #complex(node: ElementNode, type: string): void {
    if (type === 'xhtml') this.#text += quoted(this.#sourceOf(node.range));
    else if (type !== 'Resource') this.#object(node, type);
    else {
      const [resource, second] = node.children;
      if (resource === undefined || second !== undefined) {
        throw new ConversionFault('RESOURCE_TYPE_MISSING', 'an element holds no resource, or more than one');
      }
      this.#object(resource, resource.name, true);
    }
  }

  #primitives(
    key: (name: string) => void,
    name: string,
    { type, nodes, isList }: { type: string; nodes: readonly ElementNode[]; isList: boolean },
  ): void {
    if (nodes.some(({ attributes }) => attributes.has('value'))) {
      key(name);
      this.#list(nodes, isList, (node) => {
        this.#text += literal(type, node.attributes.get('value'));
      });
    }
    const hasMore = ({ attributes, children }: ElementNode): boolean => attributes.has('id') || children.length > 0;
    if (!nodes.some(hasMore)) return;
    key(`_${name}`);
    this.#list(nodes, isList, (node) => {
      if (hasMore(node)) this.#object(node, 'Element');
      else this.#text += 'null';
    });
  }
}

/** A text that is no value of its type stays a text, which mapping ignores and strict reading rejects. */
function literal(type: string, value: string | undefined): string {
  if (value === undefined) return 'null';
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value;
  return NUMBERS.has(type) && NUMBER.test(value) ? value : quoted(value);
}

/** The children by name, in order of first appearance. */
function grouped(children: readonly ElementNode[]): Map<string, ElementNode[]> {
  const groups = new Map<string, ElementNode[]>();
  for (const child of children) {
    const group = groups.get(child.name);
    if (group === undefined) groups.set(child.name, [child]);
    else group.push(child);
  }
  return groups;
}
