import { type Fields, textAt } from './json/objects.js';
import { NO_BUNDLE, ReferenceIndex } from './map/references.js';

/** How much of the resources outside Bundles is held so that references to later lines can be resolved. */
const HOLD_BYTES = 8 * 1024 * 1024;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Holds the resources that stand outside Bundles, one a line, until the lines that they refer to were read. Gives them
 * back in reading order.
 */
export class HeldLines {
  readonly index = new ReferenceIndex();
  readonly #waiting: { readonly sizeBytes: number; readonly give: () => void }[] = [];
  #first = 0;
  #heldBytes = 0;

  /** Makes a resource known to the references of the other lines. */
  know(resource: Fields): void {
    const id = textAt(resource, 'id');
    const fullUrl = UUID.test(id) ? `urn:uuid:${id.toLowerCase()}` : '';
    this.index.add({ fullUrl, method: 'PUT', bundleType: NO_BUNDLE }, resource);
  }

  /** @param give emits the items of one line. */
  hold(sizeBytes: number, give: () => void): void {
    this.#waiting.push({ sizeBytes, give });
    this.#heldBytes += sizeBytes;
    while (this.#heldBytes > HOLD_BYTES) this.#release();
  }

  releaseAll(): void {
    while (this.#first < this.#waiting.length) this.#release();
    this.#waiting.length = 0;
    this.#first = 0;
  }

  #release(): void {
    const next = this.#waiting[this.#first];
    if (next === undefined) return;
    this.#first += 1;
    this.#heldBytes -= next.sizeBytes;
    next.give();
    if (this.#first <= 1_024) return;
    this.#waiting.splice(0, this.#first);
    this.#first = 0;
  }
}
