/* IMPORTANT
 * This snapshot file is auto-generated, but designed for humans.
 * It should be checked into source control and tracked carefully.
 * Re-generate by setting TAP_SNAPSHOT=1 and running tests.
 * Make sure to inspect the output below.  Do not ignore changes!
 */
'use strict'
exports[`test/engine/text/extractive.test.ts > TAP > what it makes > blog of council 1`] = `
# Council: the old bridge on Mill Road, the new library and waste collection

Topics: the old bridge on Mill Road, the new library, waste collection, the swimming pool and the summer festival. A bridge that is closed for ten weeks is better than a bridge that is closed for ever. The books would be on the ground floor, and the reading room and the children's library would be upstairs. The paper bins will be emptied every two weeks from January, and we will test two large containers for half a year.

## The old bridge on Mill Road

The engineers looked at the bridge in March. The stone arches are in good condition, but the road surface lets water in, and the water damages the joints. If we do nothing, the bridge will have to be closed to lorries within two years.

What would a repair cost? A full repair costs about four hundred thousand euros. The county pays half of it if we apply before September. The town has to find two hundred thousand.

How long would the bridge be closed? About ten weeks. We would do it in the summer holidays, when there are no school buses. Pedestrians and bicycles could still cross the bridge the whole time.

I think that is acceptable. I would like to vote. That is everybody. The council has decided to repair the bridge and to apply to the county for half of the cost.

## The new library

The library had thirty thousand visitors last year, and that is twice as many as ten years ago. The reading room has forty seats. On Saturdays people sit on the floor between the shelves. We have looked at two options. The first option is to extend the building into the courtyard. The second option is to move the library into the empty bank on the market square.

The bank building is larger, it is dry, and it has a lift, so that people in wheelchairs can reach every floor. The ground floor does, because of the old vault. My daughter uses the library every week.

I would like to see a room where nobody talks. The former director's office becomes a quiet room with twelve desks. The council asks for a detailed plan and a price for the bank building by November.

## Waste collection

There have been many letters about it. I have counted them, there were sixty-three letters. Since the new contract started, the paper bins are emptied only once a month. For a family with two children, that is not enough. The bins are full after two weeks, and then the cardboard lies in the street and gets wet.

The contractor says that more collections would cost eighteen euros a year for every household. Most people in the letters said that they would pay that. What they do not want is rubbish in front of the door.

We could also put large containers for cardboard next to the supermarket.

## The swimming pool

The pool opened in May, and until the end of August we counted forty-one thousand swimmers. The heating is the problem. The boiler is twenty-six years old and burns more gas every year. Last season we spent ninety thousand euros on gas alone. A heat pump with solar panels on the roof of the changing rooms would reduce the gas by four fifths. It would pay for itself in nine years.

Nine years is a long time for a small town. The council asks Sofia to prepare the application for the heat pump, and we will vote about the rest of the money in October.

## The summer festival

The festival takes place on the second weekend of July. The music school will play on Friday, and on Saturday there is a concert with three bands from the region. Residents of the old town asked us to end the music at eleven o'clock. I think we should do that, because a festival that keeps people awake loses its friends.

Agreed, the music ends at eleven. If you know somebody who can help, please send them to Ingrid.

## What to do next

Which of these points will you try first? Listen to the whole recording, tell us what you think in the comments, and share this post with someone it may help.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > blog of french 1`] = `
# Talk fr: les chèvres, lait et l'eau

Sujets : les chèvres, l'eau et les voisins. Nous avons donc mis un fil électrique à deux hauteurs, et depuis ce jour aucune chèvre ne s'est échappée. Celui qui ne mesure pas son eau la perd sans le savoir. Un four chaud rapproche les gens mieux qu'une réunion.

## Les chèvres

Je m'appelle Claire, je suis boulangère de formation, et depuis six ans je tiens une ferme avec mon frère dans le Jura. Nous avons acheté douze chèvres la première année, et nous ne savions rien. La première nuit, elles ont toutes sauté la clôture et mangé les rosiers du voisin.

## Lait, chèvre et fromage

Une chèvre ne respecte que deux choses le courant électrique et l'habitude. Une chèvre donne environ trois litres de lait par jour, mais seulement si elle est traite à la même heure matin et soir. Quand je suis en retard d'une demi-heure, le lait baisse pendant deux jours. Avec ce lait, nous faisons un fromage qui mûrit quarante jours dans la cave. Le fromage se vend mieux que le lait, mais il demande trois fois plus de travail.

Mon frère dit toujours que les chèvres nous ont élevés, et pas le contraire.

## L'eau

La source qui est au-dessus de la maison s'est tarie pendant l'été deux mille vingt-deux. Nous avons porté l'eau dans des bidons pendant sept semaines, quatre cents litres par jour. Après cet été, nous avons construit une citerne de soixante mètres cubes sous la grange. Le toit de la grange recueille la pluie, et un filtre de sable la nettoie. La citerne a coûté vingt-deux mille euros, et la région en a payé la moitié.

Depuis, nous n'avons plus jamais manqué d'eau, même pendant la sécheresse de l'année dernière. Le plus important, c'est de mesurer: chaque lundi, je note le niveau de la citerne dans un cahier.

## Les voisins

Quand nous sommes arrivés, personne ne nous parlait au village. Les gens pensaient que deux citadins repartiraient avant l'hiver. Ce qui a tout changé, c'est le four à pain. J'ai réparé le vieux four communal derrière l'église, et je l'ai allumé tous les samedis. Au début, trois personnes sont venues, puis dix, puis tout le village. Chacun apporte sa pâte et son bois, et on cuit ensemble jusqu'à midi.

Un jour, monsieur Perrin, qui ne m'avait jamais saluée, m'a apporté un sac de farine sans dire un mot. Cet hiver, quand la neige a bloqué la route pendant quatre jours, ce sont les voisins qui ont porté notre lait avec leurs tracteurs. Si vous voulez commencer une ferme, commencez petit et demandez de l'aide avant d'en avoir besoin.

## Et maintenant ?

Par quel point allez-vous commencer ? Écoutez l’enregistrement complet, donnez votre avis en commentaire et partagez cet article avec ceux qu’il peut aider.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > blog of interview 1`] = `
# Interview de: Imker, Land und Den Problemen

Heute spreche ich mit Jonas Weber, der seit zwölf Jahren als Imker in der Stadt arbeitet. Im Honig aus der Stadt waren weniger Rückstände als im Honig vom Land. Wir behandeln im Sommer mit Ameisensäure und im Winter mit Oxalsäure.

## Wie wird man eigentlich Imker in der Stadt?

Bei mir war es ein Zufall. Mein Nachbar hatte drei Bienenvölker auf dem Dach und suchte jemanden, der im Urlaub nach ihnen schaut. Nach zwei Wochen wollte ich die Bienen gar nicht mehr zurückgeben. Im nächsten Frühling habe ich einen Kurs beim Imkerverein gemacht und mein erstes eigenes Volk bekommen. Am Anfang macht jeder Imker Fehler. Mein erstes Volk ist im Winter gestorben, weil ich die Milben nicht rechtzeitig behandelt habe. Das war traurig, aber ich habe daraus gelernt.

Wer Bienen hält, muss vor allem genau hinschauen.

## Land, Honig und Stadt

Warum geht es den Bienen in der Stadt besser als auf dem Land? In der Stadt finden die Bienen vom März bis zum Oktober Blüten. In den Parks stehen Linden und Kastanien, auf den Balkonen blühen Kräuter und Blumen. Auf dem Land blüht zwei Wochen lang der Raps, und danach gibt es oft nichts mehr. Außerdem werden in den Gärten der Stadt weniger Gifte benutzt als auf den Feldern.

Ist der nicht voller Abgase? Das fragen viele. Wir lassen den Honig jedes Jahr im Labor untersuchen. Die Biene filtert den Nektar, und die Blüten sind nur einen Tag offen, so dass sich kaum Staub sammelt.

## Den Problemen

Was macht Ihnen die größten Sorgen? Die größte Gefahr ist die Varroamilbe. Sie saugt an den Larven und überträgt Krankheiten. Ohne Behandlung stirbt ein Volk nach zwei oder drei Jahren. Das zweite Problem ist die Mode. Heute möchte jede Firma Bienen auf dem Dach haben. Wenn zu viele Völker an einem Ort stehen, reicht das Futter nicht für alle, und die wilden Bienen leiden am meisten.

Mehr Bienenkästen retten die Natur nicht, mehr Blumen retten sie.

## Bienen, Zeiten und Ecke

Was können unsere Hörer tun, wenn sie den Bienen helfen wollen? Es gibt drei einfache Dinge. Pflanzen Sie Blumen, die zu verschiedenen Zeiten blühen. Lassen Sie in einer Ecke des Gartens das Gras wachsen, denn dort nisten die wilden Bienen im Boden. Stellen Sie im Sommer eine flache Schale mit Wasser und ein paar Steinen auf, damit die Bienen trinken können, ohne zu ertrinken. Sie müssen keinen Honig ernten, um den Bienen zu helfen.

Ein Balkon mit Thymian und Lavendel ist schon ein Anfang.

## Wo sehen Sie Ihre Bienen in zehn Jahren?

Ich hoffe, dass wir dann nicht mehr Völker haben, sondern gesündere. Im Verein züchten wir Königinnen, deren Arbeiterinnen die Milben selbst aus den Waben entfernen. Das dauert lange, aber die ersten Ergebnisse sind gut. Vielleicht brauchen wir in zehn Jahren keine Säure mehr.

## Wie es weitergeht

Welchen Punkt setzen Sie zuerst um? Hören Sie sich die ganze Aufnahme an, schreiben Sie uns Ihre Meinung in die Kommentare und teilen Sie diesen Beitrag mit allen, denen er helfen kann.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > blog of japanese 1`] = `
# Lecture ja: お米、ご飯、味噌

話題：お米、味噌、包丁の手入れ。お米は研いだあと、三十分ぐらい水に浸けておきます。味噌は大豆と塩と麹だけで作ります。包丁は月に一度、砥石で研いでください。

## お米

最初はお米、次は味噌、最後に包丁の手入れです。おいしいご飯を炊くには、水の量がいちばん大切です。新しいお米は水分が多いので、水を少し減らします。古いお米は乾いているので、水を一割ほど増やします。

冬は水が冷たいので、一時間浸けたほうがいいです。

## ご飯、炊、土鍋

炊き上がったら、すぐにふたを開けないでください。十分ほど蒸らすと、ご飯の芯まで熱が通ります。私の祖母は、土鍋で炊いたご飯がいちばん甘いと言っていました。土鍋は火が弱くなってもゆっくり冷めるからです。残ったご飯は冷蔵庫に入れると固くなります。

熱いうちに包んで冷凍すれば、一か月はおいしく食べられます。

## 味噌

大豆を一晩水に浸けて、指でつぶせるまで煮ます。煮えた大豆をつぶして、塩を混ぜた麹と合わせます。それを団子にして、空気が入らないように樽に詰めます。樽の上に塩をふり、重しをのせて、暗い場所に置きます。夏を一回越すと、味噌は茶色になって香りが出てきます。

私は去年、初めて自分で味噌を作りました。表面に白いかびが生えて、とても心配しました。でも、白いかびは取り除けば問題ありません。自分で作った味噌は、店の味噌より塩が少なくて香りが強いです。味噌汁を作るときは、火を止めてから味噌を入れてください。

煮立てると香りが逃げてしまいます。

## 包丁の手入れ

切れない包丁は、切れる包丁より危ないです。力を入れて切ると、刃がすべって指を切るからです。砥石は使う前に水に十分浸けます。刃を砥石に十五度の角度で当てて、手前から向こうへ動かします。刃の裏にかえりが出たら、反対側も同じように研ぎます。

研いだあとは、新聞紙を切って試してみます。紙がすっと切れたら、研ぎは終わりです。鋼の包丁はさびやすいので、使ったらすぐに拭いてください。ステンレスの包丁はさびにくいですが、切れ味は長く続きません。父の包丁は四十年使って、幅が半分になりました。

道具は手入れをすれば、人より長く働きます。今日の話は以上です。

## 次の一歩

どの話から試してみますか？録音の全編を聴いて、感想をコメントで教えてください。役に立ちそうな人にこの記事を共有してください。
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > blog of lecture 1`] = `
# Lecture: the coast, the compass and latitude

Topics: the coast, the compass, latitude, longitude, radio and the risks. The height of the star is your latitude. John Harrison had taught himself to build clocks, and his first ones were made of wood. In the year nineteen hundred and four the first harbours began to send time signals by radio.

## The coast

For thousands of years, sailors stayed close to the land. They knew every rock, every church tower and every sandbank by sight, and they gave this knowledge to their sons. A pilot was a person who had the coast in his head. When the weather was bad, he used a lead, which is a piece of metal on a long rope. He threw it into the water and measured how deep the sea was.

At the bottom of the lead there was some wax, and sand or mud from the sea floor stuck to it. An old pilot could taste the mud and tell you where you were.

The coast has one great advantage. More ships were lost within sight of land than in the open ocean.

## The compass

Before the compass, the ships of Venice stayed in the harbour from October until April, because the winter sky was covered with clouds. After the compass, they sailed twice a year instead of once.

The needle does not point to the north pole of the earth, but to the magnetic pole, and the difference is not the same everywhere. On the Atlantic, Columbus saw that the needle moved slowly to the west as he sailed.

Iron ships made the problem worse. A ship of iron is a magnet itself. In eighteen fifty-four the Tayleur, a new iron ship, ran onto the rocks near Dublin on her first voyage, because her three compasses showed three different directions. After that, every iron ship got small magnets around the compass, which cancelled the magnetism of the hull.

> “An error that you know is not an error any more, it is a correction.” (03:05)

## Latitude

Latitude is the easy half of the problem. The pole star stands above the north pole. If you see it exactly above your head, you are at the pole. If you see it on the horizon, you are at the equator.

Arab navigators measured it with a small board and a string with knots. Every harbour had its own knot. By day you can use the sun. The sun is highest at noon, and its height depends on the season and on your latitude. Portuguese astronomers made tables of the sun for every day of the year. With such a table and an instrument called the astrolabe, an officer could find the latitude in ten minutes.

With latitude alone you can cross an ocean. You sail north or south until you have reached the latitude of your harbour, and then you sail east or west until you arrive.

## Longitude

The earth turns once in twenty-four hours. Longitude is nothing but a difference of time. The trouble is that you must know what time it is in London while you are in the middle of the ocean. In seventeen hundred and seven, four British warships ran onto the rocks of the Scilly Isles in one night because they were wrong about their longitude.

Seven years later the parliament offered a prize of twenty thousand pounds, which would be several millions today, to anybody who could find the longitude at sea within half a degree. The astronomers wanted to use the moon, which moves in front of the stars like the hand of a large clock. The calculation took four hours, and it needed a clear sky and very exact tables.

The other way was to build a clock that kept the right time on a ship. His fourth one looked like a large pocket watch. On a voyage of eighty-one days to Jamaica it lost five seconds.

The experts of his time looked for the answer in the sky, because they were astronomers.

## Radio

Suddenly every ship had the time of its home port for the price of a receiver, and the expensive clocks became a reserve. A few years later it was found that a radio wave has a direction as well. If you turn an antenna that is shaped like a ring, the signal becomes weak and strong again. With two stations you have two directions, and where the two lines cross on the chart, there is your ship.

During the war, radio became more exact. Two stations on land sent a pulse at the same moment, and the receiver on the ship measured which one arrived first. From the difference you know on which curve you are. A second pair of stations gives a second curve. The system was called Loran, and fishing boats used it until the nineteen nineties.

The navy needed exactly that for its submarines, and seven years later the first system was working. The system that you have in your telephone works differently. Each satellite carries clocks that lose one second in a hundred thousand years, and it says again and again what time it is and where it is. Your telephone compares the messages of four satellites. The message from the nearest one arrives first.

The clocks in the satellites must obey Einstein. Together that makes thirty-eight millionths of a second.

> “If you know the time, you know the place.” (11:01)

## The risks

A satellite signal is weaker than the light of a lamp that you look at from two thousand kilometres away. A transmitter for thirty euros can drown it in a whole harbour. Some people use such devices to hide from their employers, and ships in the area lose their position. It is also possible to send false signals. In two thousand and seventeen, more than twenty ships in the Black Sea suddenly believed that they were at an airport.

A good navigator never trusts one instrument alone.

> “Naval officers learn to use the sextant again, and some countries build radio stations on land that cannot be disturbed so easily.” (12:16)

## What to do next

Which of these points will you try first? Listen to the whole recording, tell us what you think in the comments, and share this post with someone it may help.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > blog of spanish 1`] = `
# Charla es: cómo ahorrar agua en casa, las averías y el oficio

Temas: cómo ahorrar agua en casa, las averías y el oficio. La cisterna del baño gasta más agua que la ducha. El año pasado saqué de una sola tubería once kilos de grasa. El oficio no se aprende en los vídeos, se aprende con las manos y con alguien que te corrige.

## Cómo ahorrar agua en casa

Me llamo Elena Duarte y soy fontanera desde hace veinte años. Un grifo que gotea pierde unos treinta litros al día. Casi siempre basta con cambiar una junta de goma que cuesta menos de un euro.

Si la cisterna tiene más de veinte años, cada descarga usa doce litros, y una moderna usa cuatro. Para saber si pierde agua, eche unas gotas de tinta en el depósito y espere media hora. Si el agua de la taza se tiñe, la válvula está gastada. En mi edificio cambiamos todas las cisternas y la factura del agua bajó una cuarta parte. La ducha corta ayuda pero una cisterna vieja se come todo el ahorro.

## Las averías

La mayoría de las averías avisan antes de llegar. Una mancha en el techo, una presión que baja o un ruido en la tubería son avisos. La grasa es el peor enemigo de los desagües. Nunca eche aceite por el fregadero, porque se enfría en la tubería y forma un tapón duro como una piedra.

Las toallitas húmedas tampoco se deshacen, aunque el paquete diga lo contrario. Todo el mundo debe saber dónde está la llave de paso de su casa. Cuando revienta una tubería, cada minuto son veinte litros en el suelo. Cierre la llave una vez al año para que no se agarrote.

## El oficio

Cuando empecé, yo era la única mujer en el curso. Mi primer jefe me dijo que no duraría ni un mes. Hoy la empresa es mía y trabajan conmigo seis personas. En esta provincia se jubilan cuarenta fontaneros al año y solo empiezan nueve. Un aprendiz cobra poco al principio, pero a los cinco años gana más que muchos licenciados. Lo que más me gusta es que al final del día se ve lo que has hecho.

Una persona sin agua caliente te abre la puerta enfadada y te despide con un abrazo.

## ¿Y ahora qué?

¿Qué idea va a poner en práctica primero? Escuche la grabación completa, cuéntenos su opinión en los comentarios y comparta este artículo con quien pueda necesitarlo.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > blog of talk 1`] = `
# Talk: how to make good bread at home and the garden behind our house

Topics: how to make good bread at home; the garden behind our house; computers and how we keep our data safe; how I learned to run. After a few weeks the bread was good enough to give to friends. Birds came back to the trees, and bees came to the flowers. Never use the same password for two different services.

## How to make good bread at home

You need only flour, water, salt and a little time. Put the flour and the salt in a large bowl. Add warm water and mix everything with your hand. The mixture should be soft, but it should not be too wet. Cover the bowl and leave it in a warm place for two hours. In this time the bread will grow to twice its size. Put it on the table and fold it four or five times.

Let it rest again while the oven gets hot. Bake the bread until the outside is dark brown. It should sound hollow when you knock on it. My children like it with butter and a little sugar. The first time I tried this, the bread was as hard as a stone. My oven was not hot enough, and I had used old flour. I asked the woman who owns the small shop on the corner. She has made bread for more than thirty years.

> “When something goes wrong, I look at my notes and change only one thing.” (01:09)

## The garden behind our house

We started with three apple trees along the wall. In the spring we planted beans, carrots and potatoes. The first summer was very dry, and we had to carry water every evening. We also put dry leaves on the ground to keep it wet.

A garden teaches you to wait and to look closely. You cannot hurry a tree. In the autumn we gave apples to all our neighbors. One of them came back with a box full of plums. Another neighbor showed us how to cut the branches in winter. We also built a small house for birds. The children painted it red and blue. There is a table under the big tree, and we often eat there in the summer.

Next year we want to dig a pond near the fence.

> “The result was much better than before.” (01:48)

## Computers and how we keep our data safe

Last winter the old computer in my office stopped working. All the pictures of our family were on it. I had no copy, and I was very angry with myself. A friend helped me to save most of the files. Since that day I make a copy every week. One copy stays at home, and another copy is in the house of my brother. I also changed every password.

A good password is long and easy to remember. Do not open a message when you do not know who sent it. Some people ask me if paper is still a good idea. I believe that it is, because paper does not need electricity. I printed the best pictures and put them in an album.

I also wrote a list of all the important numbers. The list is in a closed box under my bed.

## How I learned to run

Two years ago I could not run for more than one minute. My doctor told me that my heart was weak and that I should move more. I started with short walks in the park before work. After a month I began to run slowly from one bench to the next. My sister came with me on the weekend. The rain and the cold were hard at first.

I began to enjoy the quiet streets in the early morning. Good shoes are important, but you do not need anything else. If your knee hurts, stop and rest for a few days. It is better to run with a friend than to run alone. My sister and I talk about everything while we run. Next month we will run along the beach for the first time.

You do not have to be fast.

> “You only have to begin and to keep going.” (04:50)

## What to do next

Which of these points will you try first? Listen to the whole recording, tell us what you think in the comments, and share this post with someone it may help.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > blog of two sentences 1`] = `
# Es-1: casa

La casa de mi madre está cerca del mar. Todos los veranos pasamos allí dos semanas con la familia.

## ¿Y ahora qué?

¿Qué idea va a poner en práctica primero? Escuche la grabación completa, cuéntenos su opinión en los comentarios y comparta este artículo con quien pueda necesitarlo.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > chapters of council 1`] = `
00:00 The old bridge on Mill Road
01:48 The new library
03:26 Waste collection
04:41 The swimming pool
05:54 The summer festival
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > chapters of french 1`] = `
00:00 Les chèvres
00:35 Lait, chèvre et fromage
01:25 L'eau
02:24 Les voisins
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > chapters of interview 1`] = `
00:00 Wie wird man eigentlich Imker in der Stadt?
01:03 Land, Honig und Stadt
01:58 Den Problemen
02:42 Bienen, Zeiten und Ecke
03:21 Wo sehen Sie Ihre Bienen in zehn Jahren?
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > chapters of japanese 1`] = `
00:00 お米
00:49 ご飯、炊、土鍋
01:30 味噌
02:49 包丁の手入れ
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > chapters of lecture 1`] = `
00:00 The coast
01:46 The compass
03:39 Latitude
05:42 Longitude
08:20 Radio
09:41 The satellites
11:34 The risks
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > chapters of spanish 1`] = `
00:00 Cómo ahorrar agua en casa
01:13 Las averías
02:08 El oficio
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > chapters of talk 1`] = `
00:00 How to make good bread at home
01:19 The garden behind our house
02:31 Computers and how we keep our data safe
03:44 How I learned to run
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > chapters of two sentences 1`] = `
00:00 Casa, madre y mar
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > quotes of council 1`] = `
> “If we do nothing, the bridge will have to be closed to lorries within two years.” (00:41)

> “A bridge that is closed for ten weeks is better than a bridge that is closed for ever.” (01:23)

> “Since the new contract started, the paper bins are emptied only once a month.” (03:36)

> “The contractor says that more collections would cost eighteen euros a year for every household.” (03:54)

> “The paper bins will be emptied every two weeks from January, and we will test two large containers for half a year.” (04:24)

> “The boiler is twenty-six years old and burns more gas every year.” (04:59)

> “If you know somebody who can help, please send them to Ingrid.” (06:36)
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > quotes of french 1`] = `
> « Nous avons acheté douze chèvres la première année, et nous ne savions rien. » (00:23)

> « Une chèvre donne environ trois litres de lait par jour, mais seulement si elle est traite à la même heure matin et soir. » (00:49)

> « Le fromage se vend mieux que le lait, mais il demande trois fois plus de travail. » (01:10)

> « Le plus important, c'est de mesurer : chaque lundi, je note le niveau de la citerne dans un cahier. » (02:09)

> « Un jour, monsieur Perrin, qui ne m'avait jamais saluée, m'a apporté un sac de farine sans dire un mot. » (02:58)
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > quotes of interview 1`] = `
> „Wer Bienen hält, muss vor allem genau hinschauen.“ (00:58)

> „Im Honig aus der Stadt waren weniger Rückstände als im Honig vom Land.“ (01:43)

> „Wenn zu viele Völker an einem Ort stehen, reicht das Futter nicht für alle, und die wilden Bienen leiden am meisten.“ (02:27)

> „Mehr Bienenkästen retten die Natur nicht, mehr Blumen retten sie.“ (02:36)

> „Vielleicht brauchen wir in zehn Jahren keine Säure mehr.“ (03:44)
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > quotes of japanese 1`] = `
> 「お米は研いだあと、三十分ぐらい水に浸けておきます。」 (00:36)

> 「私の祖母は、土鍋で炊いたご飯がいちばん甘いと言っていました。」 (01:01)

> 「味噌は大豆と塩と麹だけで作ります。」 (01:32)

> 「切れない包丁は、切れる包丁より危ないです。」 (02:53)

> 「包丁は月に一度、砥石で研いでください。」 (03:04)
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > quotes of lecture 1`] = `
> “An old pilot could taste the mud and tell you where you were.” (01:10)

> “More ships were lost within sight of land than in the open ocean.” (01:30)

> “An error that you know is not an error any more, it is a correction.” (03:05)

> “You sail north or south until you have reached the latitude of your harbour, and then you sail east or west until you arrive.” (05:16)

> “The trouble is that you must know what time it is in London while you are in the middle of the ocean.” (06:05)

> “From the difference you know on which curve you are.” (09:16)

> “If you know the time, you know the place.” (11:01)

> “A satellite signal is weaker than the light of a lamp that you look at from two thousand kilometres away.” (11:39)

> “In two thousand and seventeen, more than twenty ships in the Black Sea suddenly believed that they were at an airport.” (12:04)

> “Naval officers learn to use the sextant again, and some countries build radio stations on land that cannot be disturbed so easily.” (12:16)
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > quotes of spanish 1`] = `
> «Casi siempre basta con cambiar una junta de goma que cuesta menos de un euro.» (00:27)

> «La cisterna del baño gasta más agua que la ducha.» (00:34)

> «Si la cisterna tiene más de veinte años, cada descarga usa doce litros, y una moderna usa cuatro.» (00:38)

> «Todo el mundo debe saber dónde está la llave de paso de su casa.» (01:50)

> «Un aprendiz cobra poco al principio, pero a los cinco años gana más que muchos licenciados.» (02:31)
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > quotes of talk 1`] = `
> “You need only flour, water, salt and a little time.” (00:09)

> “When something goes wrong, I look at my notes and change only one thing.” (01:09)

> “The first summer was very dry, and we had to carry water every evening.” (01:34)

> “Never use the same password for two different services.” (03:02)

> “Two years ago I could not run for more than one minute.” (03:47)

> “Good shoes are important, but you do not need anything else.” (04:25)

> “It is better to run with a friend than to run alone.” (04:37)
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > quotes of two sentences 1`] = `
> «La casa de mi madre está cerca del mar.» (00:00)

> «Todos los veranos pasamos allí dos semanas con la familia.» (00:02)
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > show-notes of council 1`] = `
# council

A bridge that is closed for ten weeks is better than a bridge that is closed for ever. The books would be on the ground floor, and the reading room and the children's library would be upstairs. The paper bins will be emptied every two weeks from January, and we will test two large containers for half a year.

## Key topics

- **00:00** The old bridge on Mill Road: If we do nothing, the bridge will have to be closed to lorries within two years. The council has decided to repair the bridge and to apply to the county for half of the cost.
- **01:48** The new library: On Saturdays people sit on the floor between the shelves. The second option is to move the library into the empty bank on the market square.
- **03:26** Waste collection: Since the new contract started, the paper bins are emptied only once a month. Most people in the letters said that they would pay that.
- **04:41** The swimming pool: Nine years is a long time for a small town. The council asks Sofia to prepare the application for the heat pump, and we will vote about the rest of the money in October.
- **05:54** The summer festival: Residents of the old town asked us to end the music at eleven o'clock. I think we should do that, because a festival that keeps people awake loses its friends.

## Quotes

> “The boiler is twenty-six years old and burns more gas every year.” (04:59)

> “If you know somebody who can help, please send them to Ingrid.” (06:36)

## Links

- [Add the links mentioned in the recording here]
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > show-notes of french 1`] = `
# talk fr

Nous avons donc mis un fil électrique à deux hauteurs, et depuis ce jour aucune chèvre ne s'est échappée. Celui qui ne mesure pas son eau la perd sans le savoir. Un four chaud rapproche les gens mieux qu'une réunion.

## Sujets abordés

- **00:00** Les chèvres: Je m'appelle Claire, je suis boulangère de formation, et depuis six ans je tiens une ferme avec mon frère dans le Jura. Nous avons acheté douze chèvres la première année, et nous ne savions rien.
- **00:35** Lait, chèvre et fromage: Une chèvre donne environ trois litres de lait par jour, mais seulement si elle est traite à la même heure matin et soir. Le fromage se vend mieux que le lait, mais il demande trois fois plus de travail.
- **01:25** L'eau: Nous avons porté l'eau dans des bidons pendant sept semaines, quatre cents litres par jour. Le plus important, c'est de mesurer: chaque lundi, je note le niveau de la citerne dans un cahier.
- **02:24** Les voisins: Les gens pensaient que deux citadins repartiraient avant l'hiver. J'ai réparé le vieux four communal derrière l'église, et je l'ai allumé tous les samedis.

## Citations

> « Le fromage se vend mieux que le lait, mais il demande trois fois plus de travail. » (01:10)

> « Le plus important, c'est de mesurer : chaque lundi, je note le niveau de la citerne dans un cahier. » (02:09)

> « Un jour, monsieur Perrin, qui ne m'avait jamais saluée, m'a apporté un sac de farine sans dire un mot. » (02:58)

## Liens

- [Ajoutez ici les liens mentionnés dans l’enregistrement]
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > show-notes of interview 1`] = `
# interview de

Heute spreche ich mit Jonas Weber, der seit zwölf Jahren als Imker in der Stadt arbeitet. Im Honig aus der Stadt waren weniger Rückstände als im Honig vom Land. Wir behandeln im Sommer mit Ameisensäure und im Winter mit Oxalsäure.

## Themen

- **00:00** Wie wird man eigentlich Imker in der Stadt? Im nächsten Frühling habe ich einen Kurs beim Imkerverein gemacht und mein erstes eigenes Volk bekommen. Mein erstes Volk ist im Winter gestorben, weil ich die Milben nicht rechtzeitig behandelt habe.
- **01:03** Land, Honig und Stadt: In der Stadt finden die Bienen vom März bis zum Oktober Blüten. Wir lassen den Honig jedes Jahr im Labor untersuchen.
- **01:58** Den Problemen: Ohne Behandlung stirbt ein Volk nach zwei oder drei Jahren. Heute möchte jede Firma Bienen auf dem Dach haben.
- **02:42** Bienen, Zeiten und Ecke: Lassen Sie in einer Ecke des Gartens das Gras wachsen, denn dort nisten die wilden Bienen im Boden. Stellen Sie im Sommer eine flache Schale mit Wasser und ein paar Steinen auf, damit die Bienen trinken können, ohne zu ertrinken.
- **03:21** Wo sehen Sie Ihre Bienen in zehn Jahren? Im Verein züchten wir Königinnen, deren Arbeiterinnen die Milben selbst aus den Waben entfernen. Vielleicht brauchen wir in zehn Jahren keine Säure mehr.

## Zitate

> „Wenn zu viele Völker an einem Ort stehen, reicht das Futter nicht für alle, und die wilden Bienen leiden am meisten.“ (02:27)

> „Vielleicht brauchen wir in zehn Jahren keine Säure mehr.“ (03:44)

## Links

- [Hier die in der Aufnahme genannten Links einfügen]
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > show-notes of japanese 1`] = `
# lecture ja

お米は研いだあと、三十分ぐらい水に浸けておきます。味噌は大豆と塩と麹だけで作ります。包丁は月に一度、砥石で研いでください。

## 主な話題

- **00:00** お米: 最初はお米、次は味噌、最後に包丁の手入れです。古いお米は乾いているので、水を一割ほど増やします。
- **00:49** ご飯、炊、土鍋: 炊き上がったら、すぐにふたを開けないでください。私の祖母は、土鍋で炊いたご飯がいちばん甘いと言っていました。
- **01:30** 味噌: 煮えた大豆をつぶして、塩を混ぜた麹と合わせます。自分で作った味噌は、店の味噌より塩が少なくて香りが強いです。
- **02:49** 包丁の手入れ: 切れない包丁は、切れる包丁より危ないです。鋼の包丁はさびやすいので、使ったらすぐに拭いてください。

## 引用

> 「私の祖母は、土鍋で炊いたご飯がいちばん甘いと言っていました。」 (01:01)

## リンク

- [録音で紹介されたリンクをここに追加]
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > show-notes of lecture 1`] = `
# lecture

The height of the star is your latitude. John Harrison had taught himself to build clocks, and his first ones were made of wood. Your telephone compares the messages of four satellites.

## Key topics

- **00:00** The coast: A pilot was a person who had the coast in his head.
- **01:46** The compass: In eighteen fifty-four the Tayleur, a new iron ship, ran onto the rocks near Dublin on her first voyage, because her three compasses showed three different directions.
- **03:39** Latitude: The sun is highest at noon, and its height depends on the season and on your latitude.
- **05:42** Longitude: The experts of his time looked for the answer in the sky, because they were astronomers.
- **08:20** Radio: A few years later it was found that a radio wave has a direction as well.
- **09:41** The satellites: The clocks in the satellites must obey Einstein.
- **11:34** The risks: A satellite signal is weaker than the light of a lamp that you look at from two thousand kilometres away.

## Quotes

> “An old pilot could taste the mud and tell you where you were.” (01:10)

> “If you know the time, you know the place.” (11:01)

> “A satellite signal is weaker than the light of a lamp that you look at from two thousand kilometres away.” (11:39)

## Links

- [Add the links mentioned in the recording here]
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > show-notes of spanish 1`] = `
# charla es

La cisterna del baño gasta más agua que la ducha. El año pasado saqué de una sola tubería once kilos de grasa. El oficio no se aprende en los vídeos, se aprende con las manos y con alguien que te corrige.

## Temas principales

- **00:00** Cómo ahorrar agua en casa: En mi edificio cambiamos todas las cisternas y la factura del agua bajó una cuarta parte. La ducha corta ayuda pero una cisterna vieja se come todo el ahorro.
- **01:13** Las averías: Nunca eche aceite por el fregadero, porque se enfría en la tubería y forma un tapón duro como una piedra. Todo el mundo debe saber dónde está la llave de paso de su casa.
- **02:08** El oficio: Cuando empecé, yo era la única mujer en el curso. Un aprendiz cobra poco al principio, pero a los cinco años gana más que muchos licenciados.

## Citas

> «Si la cisterna tiene más de veinte años, cada descarga usa doce litros, y una moderna usa cuatro.» (00:38)

> «Un aprendiz cobra poco al principio, pero a los cinco años gana más que muchos licenciados.» (02:31)

## Enlaces

- [Añada aquí los enlaces mencionados en la grabación]
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > show-notes of talk 1`] = `
# talk

After a few weeks the bread was good enough to give to friends. Birds came back to the trees, and bees came to the flowers. Never use the same password for two different services.

## Key topics

- **00:00** How to make good bread at home: Put the flour and the salt in a large bowl. My oven was not hot enough, and I had used old flour.
- **01:19** The garden behind our house: The first summer was very dry, and we had to carry water every evening. There is a table under the big tree, and we often eat there in the summer.
- **02:31** Computers and how we keep our data safe: I had no copy, and I was very angry with myself. A good password is long and easy to remember.
- **03:44** How I learned to run: It is better to run with a friend than to run alone. Next month we will run along the beach for the first time.

## Quotes

> “You need only flour, water, salt and a little time.” (00:09)

> “Two years ago I could not run for more than one minute.” (03:47)

> “It is better to run with a friend than to run alone.” (04:37)

## Links

- [Add the links mentioned in the recording here]
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > show-notes of two sentences 1`] = `
# es-1

La casa de mi madre está cerca del mar. Todos los veranos pasamos allí dos semanas con la familia.

## Temas principales

- **00:00** Casa, madre y mar

## Enlaces

- [Añada aquí los enlaces mencionados en la grabación]
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > summary of council 1`] = `
Topics: the old bridge on Mill Road, the new library, waste collection, the swimming pool and the summer festival. A bridge that is closed for ten weeks is better than a bridge that is closed for ever. The books would be on the ground floor, and the reading room and the children's library would be upstairs. The paper bins will be emptied every two weeks from January, and we will test two large containers for half a year. Nine years is a long time for a small town.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > summary of french 1`] = `
Sujets : les chèvres, l'eau et les voisins. Nous avons acheté douze chèvres la première année, et nous ne savions rien. Nous avons donc mis un fil électrique à deux hauteurs, et depuis ce jour aucune chèvre ne s'est échappée. Celui qui ne mesure pas son eau la perd sans le savoir. Un four chaud rapproche les gens mieux qu'une réunion.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > summary of interview 1`] = `
Heute spreche ich mit Jonas Weber, der seit zwölf Jahren als Imker in der Stadt arbeitet. Im Honig aus der Stadt waren weniger Rückstände als im Honig vom Land. Wir behandeln im Sommer mit Ameisensäure und im Winter mit Oxalsäure. Lassen Sie in einer Ecke des Gartens das Gras wachsen, denn dort nisten die wilden Bienen im Boden. Vielleicht brauchen wir in zehn Jahren keine Säure mehr.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > summary of japanese 1`] = `
話題：お米、味噌、包丁の手入れ。お米は研いだあと、三十分ぐらい水に浸けておきます。私の祖母は、土鍋で炊いたご飯がいちばん甘いと言っていました。味噌は大豆と塩と麹だけで作ります。包丁は月に一度、砥石で研いでください。
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > summary of lecture 1`] = `
A pilot was a person who had the coast in his head. In eighteen fifty-four the Tayleur, a new iron ship, ran onto the rocks near Dublin on her first voyage, because her three compasses showed three different directions. The height of the star is your latitude. John Harrison had taught himself to build clocks, and his first ones were made of wood. Your telephone compares the messages of four satellites.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > summary of spanish 1`] = `
Temas: cómo ahorrar agua en casa, las averías y el oficio. La cisterna del baño gasta más agua que la ducha. El año pasado saqué de una sola tubería once kilos de grasa. Todo el mundo debe saber dónde está la llave de paso de su casa. El oficio no se aprende en los vídeos, se aprende con las manos y con alguien que te corrige.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > summary of talk 1`] = `
Topics: how to make good bread at home; the garden behind our house; computers and how we keep our data safe; how I learned to run. After a few weeks the bread was good enough to give to friends. Birds came back to the trees, and bees came to the flowers. Never use the same password for two different services. It is better to run with a friend than to run alone.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > summary of two sentences 1`] = `
La casa de mi madre está cerca del mar. Todos los veranos pasamos allí dos semanas con la familia.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > thread of council 1`] = `
1/9 Council: the main points in one thread 🧵

• The old bridge on Mill Road
• The new library
• Waste collection
• The swimming pool
• The summer festival

2/9 The old bridge on Mill Road

The engineers looked at the bridge in March. If we do nothing, the bridge will have to be closed to lorries within two years. A full repair costs about four hundred thousand euros.

3/9 The county pays half of it if we apply before September. A bridge that is closed for ten weeks is better than a bridge that is closed for ever. The council has decided to repair the bridge and to apply to the county for half of the cost.

4/9 The new library

The first option is to extend the building into the courtyard. The second option is to move the library into the empty bank on the market square. The books would be on the ground floor, and the reading room and the children's library would be upstairs.

5/9 Waste collection

Since the new contract started, the paper bins are emptied only once a month. Most people in the letters said that they would pay that. The paper bins will be emptied every two weeks from January, and we will test two large containers for half a year.

6/9 The swimming pool

Last season we spent ninety thousand euros on gas alone. A heat pump with solar panels on the roof of the changing rooms would reduce the gas by four fifths. Nine years is a long time for a small town.

7/9 The summer festival

Residents of the old town asked us to end the music at eleven o'clock. I think we should do that, because a festival that keeps people awake loses its friends.

8/9 Agreed, the music ends at eleven. If you know somebody who can help, please send them to Ingrid.

9/9 That was “Council”. Which point will you try first? Share this thread with someone who needs it.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > thread of french 1`] = `
1/9 Talk fr : l’essentiel en un fil 🧵

• Les chèvres
• Lait, chèvre et fromage
• L'eau
• Les voisins

2/9 Les chèvres

Nous avons acheté douze chèvres la première année, et nous ne savions rien. La première nuit, elles ont toutes sauté la clôture et mangé les rosiers du voisin.

3/9 Lait, chèvre et fromage

Nous avons donc mis un fil électrique à deux hauteurs, et depuis ce jour aucune chèvre ne s'est échappée. Une chèvre donne environ trois litres de lait par jour, mais seulement si elle est traite à la même heure matin et soir.

4/9 L'eau

La source qui est au-dessus de la maison s'est tarie pendant l'été deux mille vingt-deux. Nous avons porté l'eau dans des bidons pendant sept semaines, quatre cents litres par jour.

5/9 Depuis, nous n'avons plus jamais manqué d'eau, même pendant la sécheresse de l'année dernière. Le plus important, c'est de mesurer: chaque lundi, je note le niveau de la citerne dans un cahier. Celui qui ne mesure pas son eau la perd sans le savoir.

6/9 Les voisins

Quand nous sommes arrivés, personne ne nous parlait au village. Les gens pensaient que deux citadins repartiraient avant l'hiver. Ce qui a tout changé, c'est le four à pain.

7/9 J'ai réparé le vieux four communal derrière l'église, et je l'ai allumé tous les samedis. Au début, trois personnes sont venues, puis dix, puis tout le village.

8/9 Un jour, monsieur Perrin, qui ne m'avait jamais saluée, m'a apporté un sac de farine sans dire un mot. Un four chaud rapproche les gens mieux qu'une réunion.

9/9 C’était « Talk fr ». Quel point retenez-vous ? Partagez ce fil avec ceux qu’il peut aider.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > thread of interview 1`] = `
1/11 Interview de: das Wichtigste in einem Thread 🧵

• Wie wird man eigentlich Imker in der Stadt?
• Land, Honig und Stadt
• Den Problemen
• Bienen, Zeiten und Ecke
• Wo sehen Sie Ihre Bienen in zehn Jahren?

2/11 Wie wird man eigentlich Imker in der Stadt?

Heute spreche ich mit Jonas Weber, der seit zwölf Jahren als Imker in der Stadt arbeitet. Mein Nachbar hatte drei Bienenvölker auf dem Dach und suchte jemanden, der im Urlaub nach ihnen schaut.

3/11 Nach zwei Wochen wollte ich die Bienen gar nicht mehr zurückgeben. Im nächsten Frühling habe ich einen Kurs beim Imkerverein gemacht und mein erstes eigenes Volk bekommen. Am Anfang macht jeder Imker Fehler.

4/11 Mein erstes Volk ist im Winter gestorben, weil ich die Milben nicht rechtzeitig behandelt habe.

5/11 Land, Honig und Stadt

Wir lassen den Honig jedes Jahr im Labor untersuchen. Im Honig aus der Stadt waren weniger Rückstände als im Honig vom Land. Die Biene filtert den Nektar, und die Blüten sind nur einen Tag offen, so dass sich kaum Staub sammelt.

6/11 Den Problemen

Ohne Behandlung stirbt ein Volk nach zwei oder drei Jahren. Wir behandeln im Sommer mit Ameisensäure und im Winter mit Oxalsäure.

7/11 Das zweite Problem ist die Mode. Heute möchte jede Firma Bienen auf dem Dach haben. Mehr Bienenkästen retten die Natur nicht, mehr Blumen retten sie.

8/11 Bienen, Zeiten und Ecke

Lassen Sie in einer Ecke des Gartens das Gras wachsen, denn dort nisten die wilden Bienen im Boden. Stellen Sie im Sommer eine flache Schale mit Wasser und ein paar Steinen auf, damit die Bienen trinken können, ohne zu ertrinken.

9/11 Wo sehen Sie Ihre Bienen in zehn Jahren?

Ich hoffe, dass wir dann nicht mehr Völker haben, sondern gesündere. Im Verein züchten wir Königinnen, deren Arbeiterinnen die Milben selbst aus den Waben entfernen.

10/11 Das dauert lange, aber die ersten Ergebnisse sind gut. Vielleicht brauchen wir in zehn Jahren keine Säure mehr.

11/11 Das war „Interview de“. Welcher Punkt ist Ihnen am wichtigsten? Teilen Sie diesen Thread mit allen, denen er hilft.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > thread of japanese 1`] = `
1/8 Lecture ja：要点をスレッドにまとめました 🧵

• お米
• ご飯、炊、土鍋
• 味噌
• 包丁の手入れ

2/8 お米

最初はお米、次は味噌、最後に包丁の手入れです。おいしいご飯を炊くには、水の量がいちばん大切です。新しいお米は水分が多いので、水を少し減らします。古いお米は乾いているので、水を一割ほど増やします。お米は研いだあと、三十分ぐらい水に浸けておきます。冬は水が冷たいので、一時間浸けたほうがいいです。

3/8 ご飯、炊、土鍋

炊き上がったら、すぐにふたを開けないでください。十分ほど蒸らすと、ご飯の芯まで熱が通ります。私の祖母は、土鍋で炊いたご飯がいちばん甘いと言っていました。土鍋は火が弱くなってもゆっくり冷めるからです。残ったご飯は冷蔵庫に入れると固くなります。熱いうちに包んで冷凍すれば、一か月はおいしく食べられます。

4/8 味噌

味噌は大豆と塩と麹だけで作ります。大豆を一晩水に浸けて、指でつぶせるまで煮ます。煮えた大豆をつぶして、塩を混ぜた麹と合わせます。それを団子にして、空気が入らないように樽に詰めます。樽の上に塩をふり、重しをのせて、暗い場所に置きます。夏を一回越すと、味噌は茶色になって香りが出てきます。

5/8 私は去年、初めて自分で味噌を作りました。表面に白いかびが生えて、とても心配しました。でも、白いかびは取り除けば問題ありません。自分で作った味噌は、店の味噌より塩が少なくて香りが強いです。味噌汁を作るときは、火を止めてから味噌を入れてください。煮立てると香りが逃げてしまいます。

6/8 包丁の手入れ

切れない包丁は、切れる包丁より危ないです。力を入れて切ると、刃がすべって指を切るからです。包丁は月に一度、砥石で研いでください。砥石は使う前に水に十分浸けます。刃を砥石に十五度の角度で当てて、手前から向こうへ動かします。刃の裏にかえりが出たら、反対側も同じように研ぎます。

7/8 研いだあとは、新聞紙を切って試してみます。紙がすっと切れたら、研ぎは終わりです。鋼の包丁はさびやすいので、使ったらすぐに拭いてください。ステンレスの包丁はさびにくいですが、切れ味は長く続きません。父の包丁は四十年使って、幅が半分になりました。道具は手入れをすれば、人より長く働きます。今日の話は以上です。

8/8 以上「Lecture ja」でした。どの話が心に残りましたか？必要な人にこのスレッドを共有してください。
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > thread of lecture 1`] = `
1/14 Lecture: the main points in one thread 🧵

• The coast
• The compass
• Latitude
• Longitude
• Radio
• The satellites
• The risks

2/14 The coast

A pilot was a person who had the coast in his head. At the bottom of the lead there was some wax, and sand or mud from the sea floor stuck to it. An old pilot could taste the mud and tell you where you were.

3/14 The compass

After the compass, they sailed twice a year instead of once. A ship of iron is a magnet itself.

4/14 In eighteen fifty-four the Tayleur, a new iron ship, ran onto the rocks near Dublin on her first voyage, because her three compasses showed three different directions.

5/14 Latitude

Latitude is the easy half of the problem. The height of the star is your latitude. Arab navigators measured it with a small board and a string with knots. By day you can use the sun.

6/14 The sun is highest at noon, and its height depends on the season and on your latitude. Portuguese astronomers made tables of the sun for every day of the year. With such a table and an instrument called the astrolabe, an officer could find the latitude in ten minutes.

7/14 Longitude

Longitude is nothing but a difference of time. The trouble is that you must know what time it is in London while you are in the middle of the ocean. The other way was to build a clock that kept the right time on a ship.

8/14 John Harrison had taught himself to build clocks, and his first ones were made of wood. The experts of his time looked for the answer in the sky, because they were astronomers.

9/14 Radio

In the year nineteen hundred and four the first harbours began to send time signals by radio. A few years later it was found that a radio wave has a direction as well. A second pair of stations gives a second curve.

10/14 The satellites

The navy needed exactly that for its submarines, and seven years later the first system was working. The system that you have in your telephone works differently.

11/14 Each satellite carries clocks that lose one second in a hundred thousand years, and it says again and again what time it is and where it is.

12/14 Your telephone compares the messages of four satellites. The message from the nearest one arrives first. The clocks in the satellites must obey Einstein.

13/14 The risks

A satellite signal is weaker than the light of a lamp that you look at from two thousand kilometres away. Some people use such devices to hide from their employers, and ships in the area lose their position. It is also possible to send false signals.

14/14 That was “Lecture”. Which point will you try first? Share this thread with someone who needs it.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > thread of spanish 1`] = `
1/8 Charla es: los puntos principales en un hilo 🧵

• Cómo ahorrar agua en casa
• Las averías
• El oficio

2/8 Cómo ahorrar agua en casa

La cisterna del baño gasta más agua que la ducha. Si la cisterna tiene más de veinte años, cada descarga usa doce litros, y una moderna usa cuatro. Para saber si pierde agua, eche unas gotas de tinta en el depósito y espere media hora.

3/8 Si el agua de la taza se tiñe, la válvula está gastada. En mi edificio cambiamos todas las cisternas y la factura del agua bajó una cuarta parte. La ducha corta ayuda pero una cisterna vieja se come todo el ahorro.

4/8 Las averías

La grasa es el peor enemigo de los desagües. Nunca eche aceite por el fregadero, porque se enfría en la tubería y forma un tapón duro como una piedra. El año pasado saqué de una sola tubería once kilos de grasa.

5/8 Todo el mundo debe saber dónde está la llave de paso de su casa. Cuando revienta una tubería, cada minuto son veinte litros en el suelo. Cierre la llave una vez al año para que no se agarrote.

6/8 El oficio

En esta provincia se jubilan cuarenta fontaneros al año y solo empiezan nueve. Un aprendiz cobra poco al principio, pero a los cinco años gana más que muchos licenciados. Lo que más me gusta es que al final del día se ve lo que has hecho.

7/8 Una persona sin agua caliente te abre la puerta enfadada y te despide con un abrazo. El oficio no se aprende en los vídeos, se aprende con las manos y con alguien que te corrige.

8/8 Hasta aquí «Charla es». ¿Con qué idea se queda? Comparta este hilo con quien lo necesite.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > thread of talk 1`] = `
1/10 Talk: the main points in one thread 🧵

• How to make good bread at home
• The garden behind our house
• Computers and how we keep our data safe
• How I learned to run

2/10 How to make good bread at home

You need only flour, water, salt and a little time. Put the flour and the salt in a large bowl. Add warm water and mix everything with your hand.

3/10 Cover the bowl and leave it in a warm place for two hours. In this time the bread will grow to twice its size. Bake the bread until the outside is dark brown.

4/10 The first time I tried this, the bread was as hard as a stone. My oven was not hot enough, and I had used old flour. After a few weeks the bread was good enough to give to friends.

5/10 The garden behind our house

The first summer was very dry, and we had to carry water every evening. Birds came back to the trees, and bees came to the flowers. We also built a small house for birds. There is a table under the big tree, and we often eat there in the summer.

6/10 Computers and how we keep our data safe

I had no copy, and I was very angry with myself. Since that day I make a copy every week.

7/10 One copy stays at home, and another copy is in the house of my brother. A good password is long and easy to remember. Never use the same password for two different services.

8/10 How I learned to run

Two years ago I could not run for more than one minute. After a month I began to run slowly from one bench to the next.

9/10 It is better to run with a friend than to run alone. My sister and I talk about everything while we run. Next month we will run along the beach for the first time.

10/10 That was “Talk”. Which point will you try first? Share this thread with someone who needs it.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > thread of two sentences 1`] = `
1/3 Es-1: los puntos principales en un hilo 🧵

2/3 Casa, madre y mar

La casa de mi madre está cerca del mar. Todos los veranos pasamos allí dos semanas con la familia.

3/3 Hasta aquí «Es-1». ¿Con qué idea se queda? Comparta este hilo con quien lo necesite.
`
