import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { operationAddress } from './reference/pages.mjs';
import { hrefOf } from './sources.mjs';

const OUTSIDE = /^(https?|mailto):/;

/** Turns links of a page in the repository into addresses of the site. */
export class Links {
  #root;
  #addresses;
  /** Files of the repository that pages show or link to, by their address in the site. */
  files = new Map();

  constructor(root, addresses) {
    this.#root = root;
    this.#addresses = addresses;
  }

  /**
   * @param source the page with the link
   * @throws if the repository does not have the target
   */
  resolve(source, target) {
    if (OUTSIDE.test(target) || target.startsWith('#') || target.startsWith('/')) return target;
    const [path, fragment] = target.split('#');
    const file = posix.join(posix.dirname(source), path).replace(/\/$/, '');
    const page = [file, `${file}/README.md`].find((name) => this.#addresses.has(name));
    if (page !== undefined) return hrefOf(this.#addresses.get(page)) + (fragment === undefined ? '' : `#${fragment}`);
    if (!existsSync(join(this.#root, file))) throw new Error(`${source} links to ${target}, which does not exist`);
    const address = file.startsWith('docs/') ? file.slice('docs/'.length) : `files/${file}`;
    this.files.set(address, file);
    return hrefOf(address);
  }
}

/** Finds the place of a route in the API reference. */
export class ApiReference {
  #hrefs = new Map();

  /** @param description the OpenAPI document */
  constructor(description) {
    for (const [path, item] of Object.entries(description.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        if (operation.operationId === undefined) continue;
        this.#hrefs.set(keyOf(method, path), hrefOf(operationAddress(operation)));
      }
    }
  }

  /** @returns null for a text that names no route of the contract. */
  hrefOf(method, path) {
    return this.#hrefs.get(keyOf(method, path)) ?? null;
  }
}

/** A page may call a parameter by another name than the contract does. */
const keyOf = (method, path) => `${method.toUpperCase()} ${path.replace(/\?.*$/, '').replace(/\{[^}]*\}/g, '{}')}`;
