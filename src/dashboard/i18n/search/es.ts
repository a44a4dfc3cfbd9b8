/** The search and its filters, in Spanish. */
export const search = {
  'search.moments': 'Lo que se dijo',
  'search.found': { one: '{count} resultado', other: '{count} resultados' },
  'search.score': '{share} de coincidencia',
  'search.nothing': 'No se ha encontrado nada para «{query}».',
  'search.nothingHint':
    'Pruebe con otras palabras. La búsqueda también entiende el significado: «presupuesto» encuentra también «plan de gastos».',
  'search.nothingFits': 'Puede que los filtros oculten lo que busca.',
  'search.failed': 'La búsqueda no ha funcionado. Inténtelo de nuevo.',
  'search.filters': 'Filtros',
  'search.active': 'Filtros activos',
  'search.removeAll': 'Quitar todos los filtros',
  'search.apply': 'Aplicar',
  'search.speaker': 'Hablante',
  'search.speakerHint': 'El nombre que le puso en la transcripción.',
  'search.from': 'Añadido desde',
  'search.to': 'Añadido hasta',
  'search.daysWrong': 'Este día es anterior al primero.',
  'search.source': 'Origen',
  'search.sourceHint': 'La dirección web de la que procede la grabación.'
}
