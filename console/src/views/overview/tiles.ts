/** The tile server that the operator names, as the page of the service says; none by default. */
export function readTiles(): { url: string; attribution: string } | undefined {
  const url = readMeta('plumbline-tiles')
  return url === '' ? undefined : { url, attribution: readMeta('plumbline-tiles-attribution') }
}

const readMeta = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
