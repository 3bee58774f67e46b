import type { StructureOverview } from '@plumbline/client'
import { LEVEL_SHAPES } from '../../design/levels.ts'
import { conditionOf } from './condition.ts'

const STATE_SHAPES = {
  fine: '<circle class="filled" cx="10" cy="10" r="6"/>',
  stale: '<circle cx="10" cy="10" r="6"/><path class="filled" d="M10 4a6 6 0 010 12z"/>',
  offline: '<path d="M6 6l8 8M14 6l-8 8"/>',
  empty: '<path d="M5 10h10"/>',
}

/** The symbol of a structure on the map, with its name or how many it stands for; a label reads it. */
export function drawMarker(structure: StructureOverview, count: number): HTMLElement {
  const condition = conditionOf(structure)
  const element = document.createElement('span')
  if (condition.kind === 'alarm') {
    const kind = Math.min(Math.max(condition.level, 1), 5)
    element.className = `symbol level-${kind}`
    element.dataset['level'] = String(condition.level)
    element.innerHTML = `<svg aria-hidden="true" viewBox="-1 -1 22 22"><path class="level" d="${LEVEL_SHAPES[kind]}"/></svg>`
  } else {
    element.className = `symbol ${condition.kind}`
    element.innerHTML = `<svg aria-hidden="true" viewBox="-1 -1 22 22"><circle class="ground" cx="10" cy="10" r="10"/>${STATE_SHAPES[condition.kind]}</svg>`
  }
  if (count > 1) append(element, 'count', String(count))
  else append(element, 'name', structure.name)
  return element
}

function append(parent: HTMLElement, className: string, text: string): void {
  const child = document.createElement('span')
  child.className = className
  child.textContent = text
  parent.append(child)
}
