const read = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''

/** The tile server that the operator names, as the page of the service says; none by default. */
export function readTiles(): { url: string; attribution: string } | undefined {
  const url = read('plumbline-tiles')
  return url === '' ? undefined : { url, attribution: read('plumbline-tiles-attribution') }
}
