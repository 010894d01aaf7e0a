// biome-ignore lint/style/noDefaultExport: jest calls what the file exports so.
export default () => globalThis.endServiceHosts();
