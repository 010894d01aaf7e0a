import { describe, expect, it } from '@jest/globals';
import { ContentsAhead } from '../../../subgraphs/bundles/archive/adapters/contents-ahead.js';

class Store {
  readonly opened: string[] = [];
  readonly ended: string[] = [];

  async *read(sha256: string): AsyncGenerator<Buffer> {
    this.opened.push(sha256);
    try {
      if (sha256 === 'bad') throw new Error('the content is damaged');
      yield Buffer.from(`${sha256}1`);
      yield Buffer.from(`${sha256}2`);
    } finally {
      this.ended.push(sha256);
    }
  }
}

async function textOf(content: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const part of content) text += part.toString();
  return text;
}

describe('ContentsAhead', () => {
  it('yields every content in order, opens and ends each once, and prefetches the next', async () => {
    const store = new Store();
    const contents = new ContentsAhead(['a', 'b', 'c'], (sha256) => store.read(sha256));
    expect(await textOf(contents.read(0))).toBe('a1a2');
    expect(store.opened).toEqual(['a', 'b']);
    expect(await textOf(contents.read(1))).toBe('b1b2');
    expect(await textOf(contents.read(2))).toBe('c1c2');
    await contents.close();
    expect({ opened: store.opened, ended: store.ended }).toEqual({ opened: ['a', 'b', 'c'], ended: ['a', 'b', 'c'] });
  });

  it('ends the prefetch when reading stops or jumps', async () => {
    const store = new Store();
    const contents = new ContentsAhead(['a', 'b', 'c'], (sha256) => store.read(sha256));
    await textOf(contents.read(0));
    expect(await textOf(contents.read(2))).toBe('c1c2');
    await textOf(contents.read(0));
    await contents.close();
    expect(store.ended.sort()).toEqual(store.opened.sort());
  });

  it('reports a damaged content only when it is read', async () => {
    const store = new Store();
    const contents = new ContentsAhead(['a', 'bad'], (sha256) => store.read(sha256));
    expect(await textOf(contents.read(0))).toBe('a1a2');
    await expect(textOf(contents.read(1))).rejects.toThrow('damaged');
    await contents.close();
  });
});
