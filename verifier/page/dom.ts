// The little of a browser's document that the page uses, told here because the rest of the tree has no document.

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

export interface PageEvent {
  preventDefault(): void;
  readonly dataTransfer?: { readonly files: ArrayLike<PageFile> };
}

interface PageDocument {
  getElementById(id: string): PageElement | null;
  createElement(name: string): PageElement;
}

/** @throws Error for an element that the page has not. */
export function element(id: string): PageElement {
  const { document } = globalThis as unknown as { readonly document: PageDocument };
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
}

/** A new element; its text is text, whatever stands in it. */
export function made(name: string, text: string, className = ''): PageElement {
  const { document } = globalThis as unknown as { readonly document: PageDocument };
  const node = document.createElement(name);
  node.textContent = text;
  node.className = className;
  return node;
}
