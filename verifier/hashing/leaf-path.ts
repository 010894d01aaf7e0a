/**
 * A place in records as RFC 6901 names it, met again in record after record: what is hashed of a pointer is written once.
 */
export class LeafPath {
  readonly #members = new Map<string, LeafPath>();
  readonly #items: LeafPath[] = [];
  /** The pointer as JSON text. */
  readonly quoted: string;
  /** Of a member: its name in the form of RFC 8785, and the colon. */
  readonly keyText: string;
  /** The member that came next after this one, and the one that came first within it, when they were last read anew. */
  next: LeafPath | undefined;
  first: LeafPath | undefined;
  /** Where the lanes keep its messages (`lane-paths.ts`); 0: nowhere. */
  saltAt = 0;
  saltBlocks = 0;
  prefixAt = 0;
  prefixLength = 0;

  private constructor(
    readonly pointer: string,
    /** Of a member: its name. */
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

  /** How many places are known of the tree that this one stands in. */
  get knownCount(): number {
    return this.known.count;
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
