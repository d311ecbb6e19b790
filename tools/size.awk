# Sums lines of "git grep -c": ":PATH:LINES" are of the working tree, "TAG:PATH:LINES" of the last tag.
{
	test = $2 ~ /_test\.go$/
	if ($1 != "") { was[test] += $3; wasFiles++; next }
	count = split($2, part, "/")
	room = count == 1 ? "." : part[1]
	if (room ~ /^(internal|nbbnn)$/ && count > 2) room = room "/" part[2]
	if (!(room in files)) rooms[++n] = room
	lines[room, test] += $3; sum[test] += $3; files[room]++; all++
}
END {
	form = "size     %-22s %7s %7s %6s\n"
	printf form, "", "Go", "tests", "files"
	for (i = 1; i <= n; i++) printf form, rooms[i], lines[rooms[i], 0] + 0, lines[rooms[i], 1] + 0, files[rooms[i]]
	printf form, "all", sum[0], sum[1], all
	if (last != "") printf form, "since " last, sprintf("%+d", sum[0] - was[0]), sprintf("%+d", sum[1] - was[1]), sprintf("%+d", all - wasFiles)
}
