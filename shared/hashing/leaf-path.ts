/**
 * A place in records by its RFC 6901 pointer. It recurs in many records, so the messages of its pointer are written once.
 */
export class LeafPath {
  readonly #members = new Map<string, LeafPath>();
  readonly #items: LeafPath[] = [];
  /** The pointer as JSON text. */
  readonly quoted: string;
  /** Name of a member in the form of RFC 8785, with the colon. */
  readonly keyText: string;
  /** The member that last followed this one, and the one that last came first within it. */
  next: LeafPath | undefined;
  first: LeafPath | undefined;
  /** Address of its messages in the lanes; 0 for none. */
  saltAt = 0;
  saltBlocks = 0;
  prefixAt = 0;
  prefixLength = 0;

  private constructor(
    readonly pointer: string,
    /** Name of a member. */
    readonly key: string,
    private readonly known: { count: number },
  ) {
    this.quoted = JSON.stringify(pointer);
    this.keyText = `${JSON.stringify(key)}:`;
    known.count++;
  }

  static root(): LeafPath {
    return new LeafPath('', '', { count: 0 });
  }

  /** Number of known places in this place's tree. */
  get knownCount(): number {
    return this.known.count;
  }

  /** Makes the place of a whole pointer; it belongs to no object or array. */
  at(pointer: string): LeafPath {
    return new LeafPath(pointer, '', this.known);
  }

  member(key: string): LeafPath {
    let member = this.#members.get(key);
    if (member === undefined) {
      member = new LeafPath(`${this.pointer}/${pointerToken(key)}`, key, this.known);
      this.#members.set(key, member);
    }
    return member;
  }

  item(index: number): LeafPath {
    let item = this.#items[index];
    if (item === undefined) {
      item = new LeafPath(`${this.pointer}/${index}`, '', this.known);
      this.#items[index] = item;
    }
    return item;
  }
}

/** RFC 6901 section 3. */
const pointerToken = (key: string): string =>
  key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key;
