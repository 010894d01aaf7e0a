import { type Fields, fieldsAt, listAt, textAt } from './json.js';
import { referencedFields } from './resource-types.js';

/** Resources kept for one Bundle; what comes after them resolves nothing. */
const referencedLimit = 50_000;
/** A fullUrl that ends in the resource's own type and id: relative references are of the same server. */
const restfulUrl = /^(https?:\/\/[^\s?#]*?\/)[A-Z][A-Za-z]{1,63}\/[A-Za-z0-9.-]{1,64}$/;
const localReference = /^([A-Z][A-Za-z]{1,63})\/([A-Za-z0-9.-]{1,64})(?:\/_history\/[A-Za-z0-9.-]{1,64})?$/;

/** The resources of a Bundle that references may name, by fullUrl and by `Type/id`. */
export class ReferenceIndex {
  private readonly byUrl = new Map<string, Fields | null>();
  private readonly byTypeAndId = new Map<string, Fields | null>();

  add(fullUrl: string, resource: Fields): void {
    const type = textAt(resource, 'resourceType');
    const kept = Object.hasOwn(referencedFields, type) ? referencedFields[type] : undefined;
    if (kept === undefined || this.byUrl.size + this.byTypeAndId.size >= 2 * referencedLimit) return;
    const id = textAt(resource, 'id');
    const reduced: Record<string, unknown> = { resourceType: type, id };
    for (const name of kept) if (Object.hasOwn(resource, name)) reduced[name] = resource[name];
    if (fullUrl !== '') keep(this.byUrl, fullUrl, reduced);
    if (id !== '') keep(this.byTypeAndId, `${type}/${id}`, reduced);
  }

  byFullUrl(url: string): Fields | null {
    return this.byUrl.get(url) ?? null;
  }

  byLocal(typeAndId: string): Fields | null {
    return this.byTypeAndId.get(typeAndId) ?? null;
  }
}

/** Two resources under one name resolve nothing, unless they say the same. */
function keep(map: Map<string, Fields | null>, name: string, resource: Fields): void {
  const known = map.get(name);
  if (known === undefined) map.set(name, resource);
  else if (known !== null && JSON.stringify(known) !== JSON.stringify(resource)) map.set(name, null);
}

export interface Resolved {
  /** Null when the reference leads out of what was sent. */
  readonly resource: Fields | null;
  /** `Type/id` as referred to or found; '' when the reference tells neither. */
  readonly type: string;
  readonly id: string;
}

const unresolved: Resolved = { resource: null, type: '', id: '' };

/** Resolves the references of one resource: contained, then by fullUrl, then by `Type/id` in the Bundle, else as it is. */
export class References {
  private readonly contained: readonly Fields[];
  private readonly server: string;
  private readonly index: ReferenceIndex | null;
  /** False where the Bundle was cut: what a reference names may have been lost. */
  readonly complete: boolean;

  constructor(resource: Fields, about: { fullUrl: string; index: ReferenceIndex | null; complete: boolean }) {
    this.contained = listAt(resource, 'contained');
    this.server = restfulUrl.exec(about.fullUrl)?.[1] ?? '';
    this.index = about.index;
    this.complete = about.complete;
  }

  resolve(reference: Fields): Resolved {
    const text = textAt(reference, 'reference');
    if (text === '') return unresolved;
    if (text.startsWith('#'))
      return this.found(this.contained.find((one) => textAt(one, 'id') === text.slice(1)) ?? null);
    const local = localReference.exec(text);
    const name = local === null ? text.replace(/\/_history\/[A-Za-z0-9.-]{1,64}$/, '') : `${local[1]}/${local[2]}`;
    const exact =
      this.index?.byFullUrl(name) ?? (local && this.server !== '' ? this.index?.byFullUrl(this.server + name) : null);
    if (exact) return this.found(exact);
    // Of a cut Bundle it is not known that nothing else bears the name.
    const byName = local !== null && this.complete ? this.index?.byLocal(name) : null;
    if (byName) return this.found(byName);
    if (local !== null) return { resource: null, type: local[1] ?? '', id: local[2] ?? '' };
    return { resource: null, ...typeAndIdOf(name) };
  }

  /** True for a reference that leads to nothing that was sent, while something may have been lost. */
  isLost(reference: Fields): boolean {
    if (this.complete || textAt(reference, 'reference') === '') return false;
    return this.resolve(reference).resource === null;
  }

  private found(resource: Fields | null): Resolved {
    if (resource === null) return unresolved;
    return { resource, type: textAt(resource, 'resourceType'), id: textAt(resource, 'id') };
  }
}

/** The type and id that a reference ends in, at whatever server. Conditional references and `urn:` names have none. */
function typeAndIdOf(reference: string): { type: string; id: string } {
  const at = /(?:^|\/)([A-Z][A-Za-z]{1,63})\/([A-Za-z0-9.-]{1,64})$/.exec(reference);
  return { type: at?.[1] ?? '', id: at?.[2] ?? '' };
}

/** The value of a logical reference: an identifier in place of a link. */
export function logicalId(reference: Fields): string {
  return textAt(fieldsAt(reference, 'identifier'), 'value');
}
