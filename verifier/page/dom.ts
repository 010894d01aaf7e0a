// The part of the browser's document that the page uses. Declared here because the project compiles without DOM types.

export interface PageElement {
  textContent: string | null;
  className: string;
  hidden: boolean;
  value: string;
  readonly files: ArrayLike<PageFile> | null;
  append(...children: (PageElement | string)[]): void;
  replaceChildren(...children: PageElement[]): void;
  addEventListener(name: string, listener: (event: PageEvent) => void): void;
}

export interface PageFile {
  readonly name: string;
  readonly size: number;
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
  text(): Promise<string>;
}

interface PageEvent {
  preventDefault(): void;
  readonly dataTransfer?: { readonly files: ArrayLike<PageFile> };
}

interface PageDocument {
  getElementById(id: string): PageElement | null;
  createElement(name: string): PageElement;
}

/** The browser's own. */
declare const document: PageDocument;

/** Returns an element of the page. @throws Error if it is missing */
export function element(id: string): PageElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
}

/** Makes an element with a text, which is never parsed as HTML. */
export function made(name: string, text: string, className = ''): PageElement {
  const node = document.createElement(name);
  node.textContent = text;
  node.className = className;
  return node;
}
