import type { LayerGroup, Map } from 'leaflet'
import { stepOfDegrees } from './gather.ts'
import { readLand } from './land.ts'

type Leaflet = typeof import('leaflet')

/** Draws the outlines of the land and a graticule, where no server of map tiles is named. */
export function addGround(L: Leaflet, map: Map): void {
  L.polygon(readLand(), {
    className: 'land',
    interactive: false,
    smoothFactor: 0.5,
    weight: 1,
  }).addTo(map)
  const lines = L.layerGroup().addTo(map)
  const draw = (): void => drawGraticule(L, map, lines)
  map.on('moveend', draw)
  draw()
}

function drawGraticule(L: Leaflet, map: Map, lines: LayerGroup): void {
  const bounds = map.getBounds()
  const { x: width, y: height } = map.getSize()
  if (width === 0) return
  const [west, east] = [Math.max(bounds.getWest(), -180), Math.min(bounds.getEast(), 180)]
  const [south, north] = [Math.max(bounds.getSouth(), -85), Math.min(bounds.getNorth(), 85)]
  const step = stepOfDegrees(bounds.getEast() - bounds.getWest(), width / 180)
  const line = (points: [number, number][]) =>
    L.polyline(points, { className: 'graticule', interactive: false, weight: 1 }).addTo(lines)
  const label = (place: [number, number], text: string, side: string) =>
    L.marker(place, {
      icon: L.divIcon({ className: `degree ${side}`, html: text, iconSize: [0, 0] }),
      interactive: false,
      keyboard: false,
      zIndexOffset: -1000,
    }).addTo(lines)

  lines.clearLayers()
  const bottom = map.containerPointToLatLng([0, height]).lat
  const left = map.containerPointToLatLng([0, 0]).lng
  for (const longitude of multiples(west, east, step)) {
    line([
      [south, longitude],
      [north, longitude],
    ])
    label([bottom, longitude], format(longitude, 'E', 'W'), 'bottom')
  }
  for (const latitude of multiples(south, north, step)) {
    line([
      [latitude, west],
      [latitude, east],
    ])
    label([latitude, left], format(latitude, 'N', 'S'), 'left')
  }
}

function multiples(from: number, to: number, step: number): number[] {
  const first = Math.ceil(from / step)
  const count = Math.max(0, Math.floor(to / step) - first + 1)
  return Array.from({ length: count }, (_, index) => (first + index) * step)
}

const format = (degrees: number, plus: string, minus: string): string => {
  const size = Number(Math.abs(degrees).toFixed(3))
  return `${size}°${size === 0 ? '' : degrees > 0 ? plus : minus}`
}
